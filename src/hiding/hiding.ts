import { parseJson } from '../json.ts'
import { createMatcher, type Matcher } from './matcher.ts'
import { createPauses } from './pauses.ts'
import { minLength, spellingsOf } from './spellings.ts'
import { hideStream, maskSpans, type HiddenStream } from './hide-stream.ts'

/** Takes known secrets out of texts, see `hideSecrets`. */
export interface Hiding {
  secrets: readonly string[]
  text: (text: string) => string
  /** Masks valid JSON, which stays valid: only strings change, including member names. Numbers stay as written. */
  json: (text: string) => string
  value: <T>(value: T) => T
  words: () => HiddenStream
}

/**
 * Masks secrets in texts that others read: sites quote refused tokens, senders put keys into payloads, and models
 * repeat their input. Finds the spellings of `spellingsOf`, but no deliberate disguise, and only secrets of at least 8
 * characters.
 */
export function hideSecrets(secrets: readonly string[]): Hiding {
  const matcher = createMatcher()
  for (const secret of new Set(secrets)) for (const spelling of spellingsOf(secret)) matcher.add(spelling)
  return hideWith(matcher, secrets)
}

/** As `hideSecrets`, but yields to the event loop: 500 secrets of maximum length take half a second. */
export async function hideInTurns(secrets: readonly string[]): Promise<Hiding> {
  const matcher = createMatcher()
  const pause = createPauses()
  for (const secret of new Set(secrets)) {
    for (const spelling of spellingsOf(secret)) matcher.add(spelling)
    await pause()
  }
  return hideWith(matcher, secrets)
}

/** A string literal. An unterminated one extends to the end of the text. */
const stringInJson = /"[^"\\]*(?:\\.[^"\\]*)*"?/gs

function hideWith(matcher: Matcher, secrets: readonly string[]): Hiding {
  const isIdle = secrets.every(({ length }) => length < minLength)

  const text = (given: string): string =>
    isIdle || given.length < minLength ? given : maskSpans(given, matcher.find(given))

  function inString(literal: string): string {
    const read = parseJson(literal)
    if (!read.ok) return literal
    const given = String(read.value)
    const hidden = text(given)
    return hidden === given ? literal : JSON.stringify(hidden)
  }

  function value<T>(given: T): T {
    if (typeof given === 'string') return text(given) as T
    if (Array.isArray(given)) return given.map(value) as T
    if (typeof given !== 'object' || given === null || given instanceof Date) return given
    return Object.fromEntries(Object.entries(given).map(([name, member]) => [text(name), value(member)])) as T
  }

  return {
    secrets,
    text,
    json: (given) => (isIdle ? given : given.replaceAll(stringInJson, inString)),
    value: (given) => (isIdle ? given : value(given)),
    words: () => (isIdle ? { add: (piece) => piece, end: () => '' } : hideStream(matcher)),
  }
}
