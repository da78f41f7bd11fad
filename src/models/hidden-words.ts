import type { Hiding } from '../hiding/hiding.ts'
import { createPauses } from '../hiding/pauses.ts'
import type { OnWords } from './collect.ts'

/**
 * Passes words on without the secrets, as soon as it is sure that they begin none. Many pieces may come at once.
 *
 * @param hideText takes the secrets out of what was kept back until the end, which may be long
 */
export function hiddenWords(onWords: OnWords, hiding: Hiding, hideText: (text: string) => Promise<string>) {
  const words = hiding.words()
  const pause = createPauses()
  const pass = async (text: string) => {
    if (text !== '') await onWords(text)
    await pause()
  }
  return {
    add: (piece: string) => pass(words.add(piece)),
    end: async () => pass(await words.end(hideText)),
  }
}
