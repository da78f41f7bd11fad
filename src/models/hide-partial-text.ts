import type { Hiding } from '../hiding/hiding.ts'
import { createPauses } from '../hiding/pauses.ts'
import { storable } from '../text.ts'
import type { OnWords } from './collect-answer.ts'

/**
 * Passes masked text on as soon as it cannot be the beginning of a secret, in whole characters and as it will be
 * recorded. A provider may split surrogate pairs. Many pieces may come at the same time.
 */
export function hidePartialText(onWords: OnWords, hiding: Hiding) {
  const words = hiding.words()
  const pause = createPauses()
  let half = ''
  const pass = async (text: string) => {
    if (text !== '') await onWords(storable(text))
    await pause()
  }
  return {
    add: (piece: string): Promise<void> => {
      const text = half + words.add(piece)
      half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : ''
      return pass(half === '' ? text : text.slice(0, -1))
    },
    end: () => pass(half + words.end()),
  }
}
