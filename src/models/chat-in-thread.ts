import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { hideSecrets } from '../hiding/hiding.ts'
import { chatPrompt, hiddenChat, type Chat, type ExcessiveChat, type ShownChat } from './chat-prompt.ts'

/** A chat as the record has it, with what nobody may read, and whom it is shown to. */
export interface GivenChat {
  chat: Chat
  secrets: readonly string[]
  shown: ShownChat
}

/** The prompt of a chat without the secrets, made in a thread: sites and users decide how long their texts are. */
export const promptOfChat = ({ chat, secrets, shown }: GivenChat): LanguageModelV4Prompt | ExcessiveChat =>
  chatPrompt(hiddenChat(chat, hideSecrets(secrets)), shown)
