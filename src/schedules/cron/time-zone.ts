import { distance } from 'fastest-levenshtein'
import database from 'tzdata' with { type: 'json' }
import { assertThat } from '../../errors.ts'

/**
 * IANA zone names by lower case. Node lists one name per zone and also accepts ICU's abbreviations, which surprise (BST
 * is Dhaka, IST is Calcutta, CST is Chicago).
 */
const names = new Map(
  [...Object.keys(database.zones), ...Intl.supportedValuesOf('timeZone')].map((name) => [name.toLowerCase(), name]),
)

/** The longest IANA name has 32 characters. */
const maxLength = 64

/** The letters of a name, so that "New York" matches "America/New_York". */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z/]/g, '')

/**
 * Throws VALIDATION_ERROR at `timeZone` unless it is an IANA name, in any case ("europe/berlin"). Suggests a similar
 * name if there is one. Rejects offsets such as +01:00, because they ignore daylight saving time.
 */
export function assertTimeZone(name: string): void {
  if (isTimeZone(name)) return
  const similar = name.length <= maxLength ? suggestion(lettersOf(name)) : undefined
  const hint = similar === undefined ? 'Use a name such as Europe/Berlin or UTC.' : `Did you mean ${similar}?`
  const message = `"${name.slice(0, maxLength)}" is not an IANA time zone name. ${hint}`
  assertThat(false, 'VALIDATION_ERROR', { message, details: [{ path: 'timeZone', message }] })
}

/**
 * The name in its canonical case. Aliases stay, because Node resolves some to the older name (Europe/Kyiv to
 * Europe/Kiev). Throws VALIDATION_ERROR as `assertTimeZone` does.
 */
export function canonicalTimeZone(name: string): string {
  assertTimeZone(name)
  return names.get(name.toLowerCase()) ?? name
}

function isTimeZone(name: string): boolean {
  return names.has(name.toLowerCase()) && isKnownToNode(name)
}

/** Node's zone data may be older or newer than the list of names. */
function isKnownToNode(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en-US', { timeZone: name }))
  } catch {
    return false
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
