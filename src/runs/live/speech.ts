import { storable } from '../../models/calls.ts'

/** The most of an answer that is shown while it comes, in UTF-16 units; the rest is seen when the step is recorded. */
export const maxShown = 128 * 1024

/** The most that one row has. */
const maxRow = 16 * 1024

/** An attempt at a step, of which words are shown. */
export interface Spoken {
  runId: string
  step: number
  attempt: number
}

/** Words with their place in the text of an attempt: a row of `live_words`. */
export interface Piece extends Spoken {
  position: number
  words: string
}

/** The answer of a model call under way, as far as it has come. */
export function createSpeech(spoken: Spoken) {
  let text = ''
  let written = 0
  let onTheWay: Piece | undefined

  function cut(): Piece | undefined {
    const words = text.slice(written, written + maxRow)
    // The other half of the last character has not come, or belongs to the next piece.
    const whole = /[\uD800-\uDBFF]$/.test(words) ? words.slice(0, -1) : words
    return whole === '' ? undefined : { ...spoken, position: written, words: storable(whole) }
  }

  return {
    ...spoken,
    /** Everything that is ever shown passes here. */
    add(words: string): void {
      if (text.length < maxShown) text = (text + words).slice(0, maxShown)
    },
    hasMore: () => written < text.length,
    wasShown: () => written > 0 || onTheWay !== undefined,
    /** What is to be written next. It stays the same until it is confirmed, so it can be written again. */
    next: (): Piece | undefined => (onTheWay ??= cut()),
    /** It was written. */
    confirm(): void {
      written += onTheWay?.words.length ?? 0
      onTheWay = undefined
    },
  }
}

export type Speech = ReturnType<typeof createSpeech>
