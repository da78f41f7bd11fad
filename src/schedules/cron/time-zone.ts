import { distance } from 'fastest-levenshtein'
import { assertThat } from '../../errors.ts'

/**
 * Node takes its zones from ICU, whose own abbreviations surprise (BST is Dhaka, IST is Calcutta, CST is Chicago). Only
 * these are names in the IANA database.
 */
const abbreviations = new Set('UTC GMT UCT CET EET MET WET EST MST HST PRC ROC ROK'.split(' '))

/** The longest IANA name has 32 characters. */
const maxLength = 64

/** The letters of a name, so that "New York" is near "America/New_York". */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z/]/g, '')

/**
 * Throws VALIDATION_ERROR at `timeZone` unless it is a name in the IANA database, in any case ("europe/berlin");
 * suggests a similar name if there is one. Offsets such as +01:00 are rejected: they would not follow daylight saving.
 */
export function assertTimeZone(name: string): void {
  if (isTimeZone(name)) return
  const similar = name.length <= maxLength ? suggestion(lettersOf(name)) : undefined
  const hint = similar === undefined ? 'Write a name such as Europe/Berlin or UTC.' : `Did you mean ${similar}?`
  const message = `"${name.slice(0, maxLength)}" is not the name of a time zone (IANA). ${hint}`
  assertThat(false, 'VALIDATION_ERROR', { message, details: [{ path: 'timeZone', message }] })
}

/**
 * The name in its canonical case. An alias stays one, because it may resolve to the older name (Europe/Kiev for
 * Europe/Kyiv). Throws VALIDATION_ERROR as `assertTimeZone` does.
 */
export function canonicalTimeZone(name: string): string {
  assertTimeZone(name)
  const [letters, resolved] = [name.toLowerCase(), resolve(name) ?? name]
  if (resolved.toLowerCase() === letters) return resolved
  const known = Intl.supportedValuesOf('timeZone').find((one) => one.toLowerCase() === letters)
  return known ?? inUsualCase(letters)
}

/** Names that are written in capitals as a whole, or in parts. */
const capitals =
  /^(?:utc|gmt|uct|cet|eet|met|wet|est|mst|hst|prc|roc|rok|nz|gb|us|act|nsw|lhi|pst8pdt|mst7mdt|cst6cdt|est5edt|gb-eire|nz-chat|w-su)$/

/** Words inside of names that are written small. */
const small = /^(?:of|au|es|in|de|the)$/

/** Their own ways, of all names of the IANA database. */
const special: Readonly<Record<string, string>> = {
  'gb-eire': 'GB-Eire',
  'nz-chat': 'NZ-CHAT',
  dumontdurville: 'DumontDUrville',
  mcmurdo: 'McMurdo',
  bajanorte: 'BajaNorte',
  bajasur: 'BajaSur',
  easterisland: 'EasterIsland',
  comodrivadavia: 'ComodRivadavia',
  'port-au-prince': 'Port-au-Prince',
}

/** An alias that no list has, in the case in which the IANA database writes names. */
const inUsualCase = (letters: string): string =>
  letters
    .split('/')
    .map((part) => special[part] ?? (capitals.test(part) ? part.toUpperCase() : wordsIn(part)))
    .join('/')

function wordsIn(part: string): string {
  if (/^gmt[+-]?\d+$/.test(part)) return part.toUpperCase()
  const words = part.split(/([_-])/)
  const cased = words.map((word, index) =>
    index > 0 && small.test(word) ? word : word.slice(0, 1).toUpperCase() + word.slice(1),
  )
  return cased.join('')
}

function isTimeZone(name: string): boolean {
  if (name.length > maxLength || !/^[a-z][\w+/-]*$/i.test(name) || /^systemv\//i.test(name)) return false
  if (/^[a-z]{3}$/i.test(name) && !abbreviations.has(name.toUpperCase())) return false
  return resolve(name) !== undefined
}

function resolve(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** The zone with the nearest full name or place name, at most two letters away. */
function suggestion(wanted: string): string | undefined {
  if (wanted.length < 3) return undefined
  const candidates = Intl.supportedValuesOf('timeZone').map((name) => {
    const [whole, place] = [lettersOf(name), lettersOf(name.split('/').at(-1) ?? '')]
    return { name, letters: Math.min(distance(wanted, whole), distance(wanted, place)) }
  })
  const [best] = candidates.toSorted((a, b) => a.letters - b.letters)
  // Two letters are too many for a short word: half of all places would match.
  return best && best.letters <= (wanted.length < 6 ? 1 : 2) ? best.name : undefined
}
