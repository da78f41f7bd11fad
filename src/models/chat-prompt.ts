import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Hiding } from '../hiding/hiding.ts'
import { hiddenStep } from './hidden-transcript.ts'
import { bytesOf, bytesOnce, shortenCall } from './prompt-size.ts'
import { fence } from './fence.ts'
import { chatLeftOutSentence, chatMissingSentence, chatSentence, standingRules } from './prompt-format.ts'
import { sitesText, stepMessages, type MissingSite, type Reader, type Shown, type TranscriptStep } from './prompt.ts'
import { bytesFor, cannotFit, tokensIn } from './prompt-tokens.ts'
import type { Window } from './context-window.ts'

/** A message of a user, and the model's steps that answer it. */
interface Exchange {
  words: string
  steps: TranscriptStep[]
}

export interface Chat {
  exchanges: Exchange[]
  isCut: boolean
  missingTools?: MissingSite[]
  /** Bytes per token of the last prompt; absent if unknown. */
  bytesPerToken?: number | undefined
}

export const hiddenChat = ({ exchanges, missingTools = [], ...rest }: Chat, hiding: Hiding): Chat => ({
  ...rest,
  missingTools: missingTools.map((site) => ({ ...site, name: hiding.text(site.name) })),
  exchanges: exchanges.map(({ words, steps }) => ({
    words: hiding.text(words),
    steps: steps.map((step) => hiddenStep(step, hiding)),
  })),
})

/** The model that sees a chat, and the bytes that its tools take. */
export interface ShownChat {
  reader: Reader
  window: Window
  toolBytes: number
}

/** The sizes of a chat whose last message does not fit. */
export type ExcessiveChat = Pick<Window, 'contextTokens' | 'promptTokens'> & { tokens: number }

/** The prompt of the next step of a chat, cut so that it fits; its sizes if its last message does not. */
export function chatPrompt(
  chat: Chat,
  { reader, window, toolBytes }: ShownChat,
): LanguageModelV4Prompt | ExcessiveChat {
  const { contextTokens, promptTokens, resultBytes } = window
  const { bytesPerToken = null } = chat
  const shown = { ...reader, resultBytes }
  const fitting = fitChat(chat, shown, toolBytes, bytesFor(window, bytesPerToken))
  // A rejected prompt does not show how much the provider accepts, so the provider decides again.
  const isExcessive = cannotFit(fitting.size, promptTokens, bytesPerToken)
  if (!isExcessive) return buildChatPrompt(fitting.chat, shown)
  return { tokens: tokensIn(fitting.size, bytesPerToken), contextTokens, promptTokens }
}

export const lengthOf = ({ exchanges }: Chat): number =>
  exchanges
    .flatMap(({ words, steps }) => [
      words.length,
      ...steps.flatMap(({ text, content, calls }) => [
        text.length + (content?.length ?? 0),
        ...calls.map((call) => call.arguments.length + call.outcome.text.length),
      ]),
    ])
    .reduce((sum, length) => sum + length, 0)

/** Writes the prompt of the next step of a chat. Tool results are fenced as in runs. */
function buildChatPrompt({ exchanges, isCut, missingTools = [] }: Chat, shown: Shown): LanguageModelV4Prompt {
  const messages = exchanges.flatMap(({ words, steps }, index) => [
    userMessage(isCut && index === 0 ? `${chatLeftOutSentence}\n\n${words}` : words),
    ...steps.flatMap((step) => stepMessages(step, shown)),
  ])
  const missing =
    missingTools.length > 0 ? [`${chatMissingSentence}\n${fence('untrusted sites', sitesText(missingTools))}`] : []
  return [{ role: 'system', content: [chatSentence, ...missing, standingRules].join('\n\n') }, ...joined(messages)]
}

const userMessage = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] })

/** Joins unanswered messages of a user with the next one. Some providers require roles to alternate. */
function joined(messages: LanguageModelV4Message[]): LanguageModelV4Message[] {
  const result: LanguageModelV4Message[] = []
  for (const message of messages) {
    const last = result.at(-1)
    if (message.role !== 'user' || last?.role !== 'user') result.push(message)
    else result[result.length - 1] = { ...last, content: [...last.content, ...message.content] }
  }
  return result
}

/**
 * Cuts a chat until its prompt fits: shortens the results of the oldest exchanges, then omits the oldest exchanges, and
 * then shortens the results of the oldest steps of the current answer. Its message and its last step stay whole. `size`
 * exceeds the limit if these alone are too long.
 *
 * @param fixedBytes of the tools, as JSON
 * @param limit of the whole prompt, in bytes
 */
function fitChat(chat: Chat, shown: Shown, fixedBytes: number, limit: number): { chat: Chat; size: number } {
  const sizeOf = ({ words, steps }: Exchange): number =>
    Buffer.byteLength(words) + steps.reduce((sum, step) => sum + bytesOnce(stepMessages(step, shown)), 0)
  const base = fixedBytes + bytesOf(buildChatPrompt({ ...chat, exchanges: [] }, shown))
  const exchanges = [...chat.exchanges]
  let size = exchanges.reduce((sum, exchange) => sum + sizeOf(exchange), base)
  for (const [index, exchange] of exchanges.slice(0, -1).entries()) {
    if (size <= limit) break
    exchanges[index] = shortened(exchange)
    size += sizeOf(exchanges[index]) - sizeOf(exchange)
  }
  let isCut = chat.isCut
  while (size > limit && exchanges.length > 1) {
    size -= sizeOf(exchanges.shift() as Exchange)
    isCut = true
  }
  const last = exchanges.length - 1
  const answered = exchanges[last]?.steps.length ?? 0
  for (let most = 1; size > limit && most < answered; most += 1) {
    const before = exchanges[last] as Exchange
    exchanges[last] = shortened(before, most)
    size += sizeOf(exchanges[last]) - sizeOf(before)
  }
  return { chat: { ...chat, exchanges, isCut }, size }
}

/** Shortens the results of the first steps, or of all steps by default. */
const shortened = ({ words, steps }: Exchange, most = steps.length): Exchange => ({
  words,
  steps: steps.map((step, at) => (at < most ? { ...step, calls: step.calls.map(shortenCall) } : step)),
})
