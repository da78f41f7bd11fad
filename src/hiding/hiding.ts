import { readingsOf, stringsOf, type Decoded } from './decoded.ts'
import { distinct, formsOf, minLength, type Form } from './encodings.ts'
import { createMatcher } from './matcher.ts'
import { createPauses } from './pauses.ts'
import { replaced, type Span } from './units.ts'
import { hideWords, type HiddenWords } from './words.ts'

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
 * and models repeat what they read. Finds them in every form of `formsOf`, and under escapes.
 * Whoever knows a secret can disguise it; no text of the platform tells it to them. Only secrets of 8 characters and more
 * are found.
 */
export const hideSecrets = (secrets: readonly string[]): Hiding => hideForms(secrets, formsOf(secrets))

/** The same, made in turns of the event loop: fifty secrets as long as they may be take 200 ms. */
export async function hideInTurns(secrets: readonly string[]): Promise<Hiding> {
  const forms: Form[] = []
  const pause = createPauses()
  for (const secret of new Set(secrets)) {
    forms.push(...formsOf([secret]))
    await pause()
  }
  return hideForms(secrets, distinct(forms))
}

function hideForms(secrets: readonly string[], forms: readonly Form[]): Hiding {
  const matcher = createMatcher(forms)
  const isIdle = forms.length === 0

  const spansIn = (readings: Decoded[]): Span[] =>
    readings.flatMap(({ units, written }) => matcher.find(units).map(written))

  const inText = (text: string): string => replaced(text, spansIn(readingsOf(text)))

  const inJson = (text: string): string => replaced(text, spansIn(stringsOf(text)))

  function value<T>(given: T): T {
    if (typeof given === 'string') return text(given) as T
    if (Array.isArray(given)) return given.map(value) as T
    if (typeof given !== 'object' || given === null || given instanceof Date) return given
    return Object.fromEntries(Object.entries(given).map(([name, member]) => [text(name), value(member)])) as T
  }

  const text = (given: string): string => (isIdle || given.length < minLength ? given : inText(given))

  return {
    secrets,
    text,
    json: (given) => (isIdle ? given : inJson(given)),
    value: (given) => (isIdle ? given : value(given)),
    words: () => (isIdle ? { add: (piece) => piece, end: (hide) => hide('') } : hideWords(matcher)),
  }
}
