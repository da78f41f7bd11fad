import type { Form, FormField } from './form.ts'

/**
 * What a form asks for that nobody may be asked for, in the words of the form; undefined if it asks for nothing of that
 * kind. A site that needs a credential has one in the vault. Once a text can be typed, all texts count, and count
 * together: a person reads them as one, so that a word may be divided among them.
 */
export function secretAskedFor({ message, fields }: Form): string | undefined {
  const open = fields.filter(({ kind }) => kind !== 'boolean' && kind !== 'choice' && kind !== 'choices')
  if (open.length === 0) return undefined
  const [shown, ...others] = readingsOf(fields)
  return secretIn(readingsOf(open), words) ?? secretIn([`${message} ${shown}`, ...others], plainWords)
}

/** The texts of fields in the orders in which they can be read: as they are shown, and each kind by itself. */
function readingsOf(fields: FormField[]): string[] {
  const readings = [
    fields.flatMap(({ name, title, description, ...more }) => [title ?? name, description, ...textsOf(more)]),
    fields.map(({ name }) => name),
    fields.map(({ title }) => title),
    fields.map(({ description }) => description),
  ]
  return readings.map((texts) => texts.filter((text) => text !== null).join(' '))
}

const textsOf = ({ choices, preset }: Pick<FormField, 'choices' | 'preset'>): string[] => [
  ...choices.map(({ title }) => title),
  ...(typeof preset === 'string' ? [preset] : []),
]

/** Words that leave no doubt, however they are divided. In a sentence, "token" or "secret" may be a topic. */
const longWords = [
  'password',
  'passwd',
  'pass phrase',
  'pass code',
  'api key',
  'private key',
  'secret key',
  'access key',
  'api token',
  'access token',
  'refresh token',
  'bearer token',
  'auth token',
  'card number',
  'one time code',
  'seed phrase',
  'recovery code',
]

/** A word with a blank between any of its letters, in singular or plural. */
const divided = (word: string): string => `${Array.from(word.replaceAll(' ', '')).join(' ?')}(?: ?s)?`

const plain = [...longWords.map(divided), 'pin', 'cvv', 'cvc', 'otp']

const whole = (patterns: string[]): RegExp => new RegExp(` (${patterns.join('|')}) `, 'u')

const plainWords = whole(plain)

const words = whole([
  ...plain,
  'pwd',
  'pass',
  'secrets?',
  'tokens?',
  'credentials?',
  'card ?no',
  'iban',
  'ssn',
  'social security numbers?',
  '(?:verification|security|2fa|mfa|totp) codes?',
])

/** Finds whole words: a name may be `apiKey`, `api_key`, `API key` or `API-KEY`. */
function secretIn(texts: string[], pattern: RegExp): string | undefined {
  const seen = new Set(texts.map(bare).flatMap((text) => [text, alike(text)].map(spaced)))
  for (const text of seen) {
    const [, found] = pattern.exec(text) ?? []
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Without what nobody sees, without marks above and below letters, and without numbers: they stand before the names of
 * fields whose questions are asked at once.
 */
const bare = (text: string): string =>
  text
    .replaceAll(wholeWords, ' ')
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]+/gu, '')
    .replaceAll(/(?<![\p{L}\d])\d+(?![\p{L}\d])/gu, ' ')

/** Characters that stand for whole words of Arabic and Japanese: normalized, they are up to 18 times as long. */
const wholeWords = /[\u3300-\u3357\ufdf0-\ufdfc]/gu

/** Nothing but words, with a blank before and after each. */
const spaced = (text: string): string =>
  ` ${text} `
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\d)/gu, '$1 $2')
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .toLowerCase()

/** Digits, signs, and letters of Cyrillic and Greek that look like one of Latin. */
const lookalikes: Record<string, string> = {
  a: '\u0430\u03b14@',
  b: '\u0432\u03b28',
  c: '\u0441',
  d: '\u0501',
  e: '\u0435\u03b53',
  h: '\u04bb\u043d\u03b7',
  i: '\u0456\u03b91!',
  k: '\u043a\u03ba',
  m: '\u043c\u03bc',
  n: '\u03bd',
  o: '\u043e\u03bf0',
  p: '\u0440\u03c1',
  s: '\u04555$',
  t: '\u0442\u03c47',
  v: '\u0475',
  w: '\u051d\u0461',
  y: '\u0443\u03c5',
}

const latin = new Map(
  Object.entries(lookalikes).flatMap(([letter, signs]) => Array.from(signs, (sign) => [sign, letter] as const)),
)

const alike = (text: string): string =>
  text.replaceAll(/[\p{Script=Cyrillic}\p{Script=Greek}\d@$!]/gu, (sign) => latin.get(sign.toLowerCase()) ?? sign)
