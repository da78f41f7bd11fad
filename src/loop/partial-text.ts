import { storable } from '../text.ts'

/** The longest live text of an answer, in UTF-16 units. Readers see the rest when the step is recorded. */
export const maxShown = 128 * 1024

const maxRow = 16 * 1024

export type TextPiece<Of> = Of & { position: number; words: string }

/**
 * The live text of a model call in progress, for readers in other processes.
 *
 * @param of identifies the call; each piece includes it
 */
export function createPartialText<Of extends object>(of: Of) {
  let text = ''
  let written = 0
  let onTheWay: TextPiece<Of> | undefined

  function cut(): TextPiece<Of> | undefined {
    const words = text.slice(written, written + maxRow)
    // The other half of the last character belongs to the next piece.
    const whole = /[\uD800-\uDBFF]$/.test(words) ? words.slice(0, -1) : words
    return whole === '' ? undefined : { ...of, position: written, words: storable(whole) }
  }

  return {
    ...of,
    add(words: string): void {
      if (text.length < maxShown) text = (text + words).slice(0, maxShown)
    },
    hasMore: () => written < text.length,
    wasShown: () => written > 0 || onTheWay !== undefined,
    /** The next piece to write. It stays the same until it is confirmed, so it can be written again. */
    next: (): TextPiece<Of> | undefined => (onTheWay ??= cut()),
    confirm(): void {
      written += onTheWay?.words.length ?? 0
      onTheWay = undefined
    },
  }
}

export type PartialText<Of extends object> = ReturnType<typeof createPartialText<Of>>
