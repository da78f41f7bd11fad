import { parseJson } from '../json.ts'
import { createMatcher, type Matcher } from './matcher.ts'
import { createPauses } from './pauses.ts'
import { minLength, spellingsOf } from './spellings.ts'
import { hideWords, replaced, type HiddenWords } from './words.ts'

/** Takes known secrets out of texts, see `hideSecrets`. */
export interface Hiding {
  /** What it takes out. */
  secrets: readonly string[]
  /** Of any text. */
  text: (text: string) => string
  /** Of valid JSON, which stays valid: only strings change, member names included. Numbers stay as they are written. */
  json: (text: string) => string
  /** Of every text in a value of JSON, member names included. */
  value: <T>(value: T) => T
  /** Of a text that comes in pieces. */
  words: () => HiddenWords
}

/**
 * Replaces secrets in texts that others read: sites quote the token that they refuse, senders put keys into payloads,
 * and models repeat what they read. Finds them as programs spell them, see `spellingsOf`. Whoever knows a secret can
 * disguise it; no text of the platform tells it to them. Only secrets of 8 characters and more are found.
 */
export function hideSecrets(secrets: readonly string[]): Hiding {
  const matcher = createMatcher()
  for (const secret of new Set(secrets)) for (const spelling of spellingsOf(secret)) matcher.add(spelling)
  return hideWith(matcher, secrets)
}

/** The same, made in turns of the event loop: 500 secrets as long as they may be take half a second. */
export async function hideInTurns(secrets: readonly string[]): Promise<Hiding> {
  const matcher = createMatcher()
  const pause = createPauses()
  for (const secret of new Set(secrets)) {
    for (const spelling of spellingsOf(secret)) matcher.add(spelling)
    await pause()
  }
  return hideWith(matcher, secrets)
}

/** To its end, or of what is no JSON to the end of the text. */
const stringInJson = /"[^"\\]*(?:\\.[^"\\]*)*"?/gs

function hideWith(matcher: Matcher, secrets: readonly string[]): Hiding {
  const isIdle = secrets.every(({ length }) => length < minLength)

  const text = (given: string): string =>
    isIdle || given.length < minLength ? given : replaced(given, matcher.find(given))

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
    words: () => (isIdle ? { add: (piece) => piece, end: () => '' } : hideWords(matcher)),
  }
}
