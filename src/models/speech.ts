import { storable } from '../text.ts'

/** The most of an answer that is shown while it comes, in UTF-16 units; the rest is seen when the step is recorded. */
export const maxShown = 128 * 1024

/** The most that one row has. */
const maxRow = 16 * 1024

/** Words with their place in the text of the answer that they are of. */
export type Piece<Of> = Of & { position: number; words: string }

/**
 * The answer of a model call in progress, as far as it has come, for readers in other processes.
 *
 * @param of names the call: what is written with each piece
 */
export function createSpeech<Of extends object>(of: Of) {
  let text = ''
  let written = 0
  let onTheWay: Piece<Of> | undefined

  function cut(): Piece<Of> | undefined {
    const words = text.slice(written, written + maxRow)
    // The other half of the last character belongs to the next piece.
    const whole = /[\uD800-\uDBFF]$/.test(words) ? words.slice(0, -1) : words
    return whole === '' ? undefined : { ...of, position: written, words: storable(whole) }
  }

  return {
    ...of,
    /** Everything that is ever shown passes here. */
    add(words: string): void {
      if (text.length < maxShown) text = (text + words).slice(0, maxShown)
    },
    hasMore: () => written < text.length,
    wasShown: () => written > 0 || onTheWay !== undefined,
    /** What is to be written next. It stays the same until it is confirmed, so it can be written again. */
    next: (): Piece<Of> | undefined => (onTheWay ??= cut()),
    /** It was written. */
    confirm(): void {
      written += onTheWay?.words.length ?? 0
      onTheWay = undefined
    },
  }
}

export type Speech<Of extends object> = ReturnType<typeof createSpeech<Of>>
