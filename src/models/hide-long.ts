import type { Hiding } from '../hiding/hiding.ts'
import type * as inThread from '../in-thread.ts'
import type { Threads } from '../threads/threads.ts'
import type { RawAnswer } from './collect-answer.ts'
import { hiddenAnswer } from './hidden-transcript.ts'

/** Characters searched inline, in a millisecond or two. A mebibyte of short texts takes a hundred. */
const inlineCharacters = 16 * 1024

/** Masks secrets in prompts and answers. Long ones are masked in a thread, where `party` is the fairness key. */
export function createHideLong({ threads }: { threads: Pick<Threads<typeof inThread>, 'run'> | undefined }) {
  async function value<T>(given: T, hiding: Hiding, party: string): Promise<T> {
    if (given === undefined || hiding.secrets.length === 0) return given
    const json = JSON.stringify(given)
    if (!threads || json.length <= inlineCharacters) return hiding.value(given)
    const hidden = await threads.run(party, 'hideJson', { json, secrets: hiding.secrets })
    return hidden === null ? given : (JSON.parse(hidden) as T)
  }

  async function answer(whole: RawAnswer, hiding: Hiding, party: string): Promise<RawAnswer> {
    if (hiding.secrets.length === 0) return whole
    const given = withHiddenWord(whole, hiding)
    const json = JSON.stringify(given.content)
    if (!threads || json.length <= inlineCharacters) return hiddenAnswer(given, hiding)
    const content = await threads.run(party, 'hideContent', { json, secrets: hiding.secrets })
    return content === null ? given : { ...given, content }
  }

  return { value, answer }
}

/** The provider's word for the end is untrusted text too. */
function withHiddenWord(whole: RawAnswer, hiding: Hiding): RawAnswer {
  const { unified, raw } = whole.finishReason
  const word = raw === undefined ? raw : hiding.text(raw.slice(0, 1000))
  return word === raw ? whole : { ...whole, finishReason: { unified, raw: word } }
}
