import { distance } from 'fastest-levenshtein'
import { assertThat } from '../../errors.ts'

/**
 * ICU, from which Node knows the zones, has abbreviations of its own that surprise (BST is Dhaka, IST is Calcutta,
 * CST is Chicago). These are the ones that are names of the IANA database.
 */
const abbreviations = new Set('UTC GMT UCT CET EET MET WET EST MST HST PRC ROC ROK'.split(' '))

/** The longest IANA name has 32 characters. */
const longest = 64

/** A name by its letters alone, so that "New York" is near "America/New_York". */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z/]/g, '')

/**
 * Throws VALIDATION_ERROR at `timeZone` unless it is a name of the IANA database, in any case ("europe/berlin"); with
 * a suggestion where there is a name near it. Offsets such as +01:00 are none: they would not follow the seasons.
 */
export function assertTimeZone(name: string): void {
  if (isTimeZone(name)) return
  const near = name.length <= longest ? suggestion(lettersOf(name)) : undefined
  const hint = near === undefined ? 'Write a name such as Europe/Berlin or UTC.' : `Did you mean ${near}?`
  const message = `"${name.slice(0, longest)}" is not the name of a time zone (IANA). ${hint}`
  assertThat(false, 'VALIDATION_ERROR', { message, details: [{ path: 'timeZone', message }] })
}

/**
 * The name in its right case. An alias stays as it was written, because what it resolves to may be the older name
 * (Europe/Kiev for Europe/Kyiv). Throws VALIDATION_ERROR as `assertTimeZone` does.
 */
export function canonicalTimeZone(name: string): string {
  assertTimeZone(name)
  const resolved = resolve(name) ?? name
  return resolved.toLowerCase() === name.toLowerCase() ? resolved : name
}

function isTimeZone(name: string): boolean {
  if (name.length > longest || !/^[a-z][\w+/-]*$/i.test(name) || /^systemv\//i.test(name)) return false
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

/** The zone whose whole name or whose place is nearest, at most two letters away. */
function suggestion(wanted: string): string | undefined {
  if (wanted.length < 3) return undefined
  const candidates = Intl.supportedValuesOf('timeZone').map((name) => {
    const [whole, place] = [lettersOf(name), lettersOf(name.split('/').at(-1) ?? '')]
    return { name, letters: Math.min(distance(wanted, whole), distance(wanted, place)) }
  })
  const [best] = candidates.toSorted((a, b) => a.letters - b.letters)
  // Of a short word, two letters are too much: half of all places would be near it.
  return best && best.letters <= (wanted.length < 6 ? 1 : 2) ? best.name : undefined
}
