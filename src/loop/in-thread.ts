import { hidingOf } from '../hiding/hiding-cache.ts'
import { chatPrompt, hiddenChat, type Chat, type ChatQuestion, type ShownChat } from './chat-prompt.ts'
import type { Excess } from './prompt-tokens.ts'

/** A recorded chat, with the secrets to mask and the model that sees it. */
export interface GivenChat {
  chat: Chat
  secrets: readonly string[]
  shown: ShownChat
}

export const promptOfChat = async ({ chat, secrets, shown }: GivenChat): Promise<ChatQuestion | Excess> =>
  chatPrompt(hiddenChat(chat, await hidingOf(secrets)), shown)
