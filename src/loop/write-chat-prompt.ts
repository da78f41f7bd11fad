import type * as inThread from '../in-thread.ts'
import type { Threads } from '../threads/threads.ts'
import { lengthOf, type ChatQuestion } from './chat-prompt.ts'
import { promptTooLong } from '../models/failures.ts'
import { promptOfChat, type GivenChat } from './in-thread.ts'

/** The longest chat that is masked inline. Searching a mebibyte for secrets can take 80 ms. */
const inlineCharacters = 64 * 1024

/**
 * Writes prompts of chats, longer ones in threads, where `party` is the fairness key. MODEL_ERROR if one cannot fit.
 */
export const createWriteChatPrompt =
  ({ threads }: { threads: Pick<Threads<typeof inThread>, 'run'> | undefined }) =>
  async (model: string, party: string, given: GivenChat): Promise<ChatQuestion> => {
    const isShort = threads === undefined || lengthOf(given.chat) <= inlineCharacters
    const question = await (isShort ? promptOfChat(given) : threads.run(party, 'promptOfChat', given))
    if ('tokens' in question) throw promptTooLong(model, question)
    return question
  }
