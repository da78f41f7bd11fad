import { domainToASCII } from 'node:url'

/* Names that one person writes and another reads: of agents, workspaces, keys, sites and chats. */

/** Emojis, including new combinations of later Unicode versions. */
const emoji = String.raw`\p{RGI_Emoji}|\p{Extended_Pictographic}\p{EMod}?[\ufe0e\ufe0f]?(?:\u200d\p{Extended_Pictographic}\p{EMod}?\ufe0f?)*`

/** Scripts whose letters change form beside a joiner (RFC 5892, A.1 and A.2). */
const joining = `[${[
  'Arabic',
  'Syriac',
  'Nko',
  'Mandaic',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => String.raw`\p{Script_Extensions=${script}}`)
  .join('')}]`

/** Invisible characters that a script or an emoji needs. */
const needed = [
  emoji,
  String.raw`(?<=${joining})[\u200c\u200d](?=${joining})`,
  // Variants of ideographs, as some Japanese names need them.
  String.raw`(?<=\p{Unified_Ideograph})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
].join('|')

/** Format characters of Unicode that are visible: numbers and years of Arabic and Kaithi. */
const seen = String.raw`[\u0600-\u0605\u06dd\u0890\u0891\u08e2\u{110bd}\u{110cd}]`

/**
 * Characters that are invisible, or that turn or break the line around them (UTS 39): controls, separators, direction
 * marks, zero-width characters, fillers, tags, halves of surrogate pairs, and private characters.
 */
const hidden = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]--${seen}]`

const anyHidden = new RegExp(hidden, 'v')
const hiddenOrNeeded = new RegExp(`(?<needed>${needed})|${hidden}`, 'gv')

/** Replaces invisible characters and line breaks by spaces. Joiners stay where a script or emoji needs them. */
export const withoutHidden = (text: string): string =>
  anyHidden.test(text) ? text.replaceAll(hiddenOrNeeded, (sign, kept: string | undefined) => (kept ? sign : ' ')) : text

function firstHidden(text: string): string | undefined {
  if (!anyHidden.test(text)) return undefined
  return text.matchAll(hiddenOrNeeded).find(({ groups }) => groups?.['needed'] === undefined)?.[0]
}

/** Copied names may have these at the ends: spaces, line breaks, direction marks. */
const edges = /^[\s\u200b\u200e\u200f\u202a\u202c\u2060]+|[\s\u200b\u200e\u200f\u202a\u202c\u2060]+$/gu

/** A normalized name: NFC, trimmed, with single plain spaces. */
export const cleanName = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(edges, '')
    .replaceAll(/[\t\p{Zs}]+/gu, ' ')

/** The UTF-16 units that one visible character may have: a family of four with its joiners and selectors. */
export const unitsOfCharacter = 10

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Cuts the text to at most `max` code points, including an ellipsis. No visible character is split. */
export function cut(text: string, max: number): string {
  if (text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max)) return text
  let [kept, points] = ['', 0]
  for (const { segment } of characters.segment(text.slice(0, 2 * max))) {
    points += Array.from(segment).length
    if (points >= max) break
    kept += segment
  }
  return `${kept}…`
}

const visibleLength = (text: string): number => Array.from(characters.segment(text)).length

/** The problem of a cleaned name; undefined if it is valid. `max`: visible characters. */
export function problemOfName(name: string, max: number): string | undefined {
  if (/[\n\r\v\f\u0085\u2028\u2029]/.test(name)) return 'must be a single line'
  const sign = firstHidden(name)
  if (sign !== undefined) return `must not contain the invisible character ${codeOf(sign)}`
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return 'must contain at least one visible character'
  if (/\p{M}{5}/u.test(name)) return 'must have at most four marks on a letter'
  return visibleLength(name) <= max ? undefined : `must have at most ${max} characters`
}

const codeOf = (sign: string): string => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Characters that look like a double quotation mark. */
const doubleMark = String.raw`["\u02ba\u02dd\u02ee\u02f5\u02f6\u201c-\u201f\u2033\u2034\u2036\u2037\u2057\u275d\u275e\u2760\u2e42\u3003\u301d-\u301f\uff02\u{1f676}-\u{1f678}]`
/** Characters that look like a single one. Two of them look like a double one. */
const singleMark = String.raw`['\u00b4\x60\u02b9\u02bb-\u02bf\u02ca\u02cb\u0374\u0384\u055a\u055b\u05f3\u07f4\u07f5\u1fbd\u1fbf\u1fef\u1ffd\u1ffe\u2018-\u201b\u2032\u2035\u275b\u275c\u275f\ua78b\ua78c\uff07\uff40]`
/** Hebrew abbreviations contain such a mark between letters. */
const hebrewMark = String.raw`(?<![\u05d0-\u05f2\p{M}])\u05f4|\u05f4(?![\u05d0-\u05f2])`

/** Characters that end a quotation, or seem to. */
const quotationMarks = new RegExp(`${doubleMark}|${hebrewMark}|${singleMark}{2,}`, 'gu')

/** Texts that mail programs turn into links: schemes, host names, addresses of hosts and of mailboxes. */
const schemes = /(?:(?<=[\p{L}\p{M}\p{N}+.-])[:：﹕][/\\／＼]*|[/\\／＼]{2,})(?=[^\s/\\／＼])/gu
const dot = '[.．｡。․﹒]'
/** Dots before a possible top-level domain, in any script, or before an address with a port or a path. */
const dots = new RegExp(
  String.raw`(?<=\S)${dot}(?=[a-z]{2}|[a-z]\p{M}|[^\x00-\x7f\s\p{P}]|\d{1,3}(?:\.\d{1,3}){0,2}(?:[:/]|$))`,
  'giu',
)
const anyDot = new RegExp(dot, 'gu')
const addressesOfHosts = new RegExp(String.raw`\d+(?:${dot}\d+){3,}`, 'gu')
const ats = /[@＠﹫](?=\S)/gu

const unlinked = (text: string): string =>
  text
    .replaceAll(schemes, '$& ')
    .replaceAll(addressesOfHosts, (address) => address.replaceAll(anyDot, '[.]'))
    .replaceAll(dots, '[.]')
    .replaceAll(ats, '[@]')

const maxQuoted = 60

/**
 * A name in the platform's own sentences, in mails, pages, notifications and errors: on one line, bounded, in quotation
 * marks that it cannot close, and without anything that a mail program would turn into a link. Never fails.
 */
export function quotedName(name: string, max = maxQuoted): string {
  const line = withoutHidden(name.slice(0, 4 * max))
    .replaceAll(/\s+/gu, ' ')
    .trim()
  return `“${unlinked(cut(line, max)).replaceAll(quotationMarks, "'")}”`
}

/** The longest quotation of a site or a provider in a sentence. */
const maxWords = 200

/** A text of a site or a provider, such as an error and its description, quoted like a name. */
export const quotedWords = (...texts: readonly (string | undefined)[]): string =>
  quotedName(texts.filter((text) => text !== undefined).join(': '), maxWords)

/** An email address for display to others. If its letters may resemble others, it includes the domain's DNS form. */
export function addressInWords(email: string): string {
  const ascii = domainToASCII(email.slice(email.lastIndexOf('@') + 1))
  return email.endsWith(`@${ascii}`) ? email : `${email} (${ascii})`
}
