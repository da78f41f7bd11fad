import type { Form, FormField } from './form.ts'

/**
 * What a form asks for that nobody may be asked for, in the words of the form; undefined if it asks for nothing of that
 * kind. A site that needs a credential has one in the vault.
 */
export function secretAskedFor({ message, fields }: Form): string | undefined {
  const open = fields.filter(({ kind }) => kind !== 'boolean' && kind !== 'choice' && kind !== 'choices')
  if (open.length === 0) return undefined
  const found = open.flatMap(textsOf).map((text) => secretIn(text, words))
  return [...found, secretIn(message, plainWords)].find((word) => word !== undefined)
}

const textsOf = ({ name, title, description }: FormField): string[] => [name, title ?? '', description ?? '']

/** Words that leave no doubt. In a sentence, "token" or "secret" may be a topic. */
const plainWords = [
  'passwords?',
  'passwd',
  'pass ?phrases?',
  'pass ?codes?',
  'pin',
  'api ?keys?',
  '(?:private|secret|access) ?keys?',
  '(?:card|credit card) numbers?',
  'cvv',
  'cvc',
  'one time (?:codes?|passwords?)',
  'otp',
  'seed phrase',
  'recovery codes?',
]

const words = [
  ...plainWords,
  'pwd',
  'pass',
  'secrets?',
  '(?:access |refresh |bearer |auth )?tokens?',
  'credentials?',
  'card ?no',
  'iban',
  'ssn',
  'social security numbers?',
  '(?:verification|security|2fa|mfa|totp) codes?',
]

/** Finds whole words: a name may be `apiKey`, `api_key`, `API key` or `API-KEY`. */
function secretIn(text: string, patterns: string[]): string | undefined {
  const spaced = text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\d)/gu, '$1 $2')
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .toLowerCase()
  return new RegExp(`(?<![\\p{L}\\d])(?:${patterns.join('|')})(?![\\p{L}\\d])`, 'u').exec(spaced)?.[0]
}
