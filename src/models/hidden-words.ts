import type { Hiding } from '../hiding/hiding.ts'
import type { OnWords } from './collect.ts'

/** Passes words on without the secrets, as soon as it is sure that they begin none. */
export function hiddenWords(onWords: OnWords, hiding: Hiding) {
  const words = hiding.words()
  const pass = (text: string) => (text === '' ? undefined : onWords(text))
  return { add: (piece: string) => pass(words.add(piece)), end: () => pass(words.end()) }
}
