import { hidingOf } from '../hiding/hiding-cache.ts'
import type { HiddenJson } from '../hiding/in-thread.ts'
import {
  chatPrompt,
  hiddenChat,
  type Chat,
  type ChatQuestion,
  type ExcessiveChat,
  type ShownChat,
} from './chat-prompt.ts'
import type { RawAnswer } from './collect-answer.ts'
import { hiddenContent } from './hidden-transcript.ts'

/** A recorded chat, with the secrets to mask and the model that sees it. */
export interface GivenChat {
  chat: Chat
  secrets: readonly string[]
  shown: ShownChat
}

export const promptOfChat = async ({ chat, secrets, shown }: GivenChat): Promise<ChatQuestion | ExcessiveChat> =>
  chatPrompt(hiddenChat(chat, await hidingOf(secrets)), shown)

/** The parts of a model's answer with secrets masked; null if they contain none. */
export const hideContent = async ({ json, secrets }: HiddenJson): Promise<RawAnswer['content'] | null> =>
  hiddenContent(JSON.parse(json) as RawAnswer['content'], await hidingOf(secrets))
