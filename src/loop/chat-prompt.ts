import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { Hiding } from '../hiding/hiding.ts'
import { hiddenStep } from '../models/hidden-transcript.ts'
import { bytesOf, bytesOnce, shortenCall } from '../models/prompt-size.ts'
import { fence } from '../models/fence.ts'
import { fit, isFurther, type Cuts } from './fit.ts'
import {
  chatLeftOutSentence,
  chatMissingSentence,
  chatSentence,
  standingRules,
  summarySentence,
} from '../models/prompt-format.ts'
import { lengthOfStep } from './transcript-step.ts'
import { buildChatSummaryPrompt, shownSummary } from './summary-prompt.ts'
import {
  sitesText,
  stepMessages,
  type MissingSite,
  type Reader,
  type Shown,
  type TranscriptStep,
} from '../models/prompt.ts'
import { bytesFor, excessOf, type Excess } from './prompt-tokens.ts'
import type { Window } from '../models/context-window.ts'

/** A message of a user, and the model's steps that answer it. */
interface Exchange {
  /** Its place in the conversation, from 1 on. */
  number: number
  words: string
  steps: TranscriptStep[]
}

/** A chat as it is read: without the exchanges that were left out before. */
export interface Chat {
  exchanges: Exchange[]
  /** Up to which exchange results are shortened already. */
  shortenedThrough: number
  /** A summary of what is left out. */
  summary?: string | undefined
  /** Whether the model is asked for a summary of what is left out next. */
  summarizes: boolean
  missingTools?: MissingSite[]
  /** Bytes per token of the last prompt; absent if unknown. */
  bytesPerToken?: number | undefined
}

export const hiddenChat = ({ exchanges, summary, missingTools = [], ...rest }: Chat, hiding: Hiding): Chat => ({
  ...rest,
  summary: summary === undefined ? undefined : hiding.text(summary),
  missingTools: missingTools.map((site) => ({ ...site, name: hiding.text(site.name) })),
  exchanges: exchanges.map(({ number, words, steps }) => ({
    number,
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

/** What the model of a chat is asked next: the next step, or a summary of what the cuts leave out from then on. */
export interface ChatQuestion {
  prompt: LanguageModelV4Prompt
  cuts: Cuts
  isSummary: boolean
}

/** The prompt of the next step of a chat, cut so that it fits; its sizes if its last message does not. */
export function chatPrompt(given: Chat, { reader, window, toolBytes }: ShownChat): ChatQuestion | Excess {
  const { resultBytes } = window
  const { bytesPerToken = null } = given
  const shown = { ...reader, resultBytes }
  const limit = bytesFor(window, bytesPerToken)
  const summary = given.summary === undefined ? undefined : shownSummary(given.summary, resultBytes)
  const chat = { ...given, summary }
  const { size, cuts, ...fitted } = fitChat(chat, shown, toolBytes, limit)
  const excess = excessOf(size, window, bytesPerToken)
  if (excess) return excess
  const left = chat.exchanges.filter(({ number }) => number <= cuts.leftOutThrough)
  const isSummary = chat.summarizes && left.length > 0
  const prompt = isSummary ? summaryOf(chat, left, limit) : buildChatPrompt(fitted.chat, shown)
  return { prompt, cuts, isSummary }
}

const summaryOf = ({ summary }: Chat, left: Exchange[], limit: number): LanguageModelV4Prompt =>
  buildChatSummaryPrompt(summary, left, Math.max(0, limit - Buffer.byteLength(summary ?? '')))

export const lengthOf = ({ exchanges }: Chat): number =>
  exchanges.reduce(
    (sum, { words, steps }) => steps.reduce((total, step) => total + lengthOfStep(step), sum + words.length),
    0,
  )

/** Writes the prompt of the next step of a chat. Tool results are fenced as in runs. */
function buildChatPrompt(chat: Chat, shown: Shown): LanguageModelV4Prompt {
  const { exchanges, missingTools = [] } = chat
  const messages = exchanges.flatMap(({ words, steps }, index) => [
    userMessage(index === 0 ? `${openingOf(chat)}${words}` : words),
    ...steps.flatMap((step) => stepMessages(step, shown)),
  ])
  const missing =
    missingTools.length > 0 ? [`${chatMissingSentence}\n${fence('untrusted sites', sitesText(missingTools))}`] : []
  return [{ role: 'system', content: [chatSentence, ...missing, standingRules].join('\n\n') }, ...joined(messages)]
}

/** What stands in place of the exchanges that are left out. A summary may repeat a stranger's words. */
function openingOf({ exchanges: [first], summary }: Chat): string {
  if (first === undefined || first.number === 1) return ''
  const summed = summary === undefined ? [] : [`${summarySentence}\n${fence('untrusted summary', summary)}`]
  return [chatLeftOutSentence, ...summed, ''].join('\n\n')
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
 * Cuts a chat as a run is cut, with exchanges in place of steps; then, if that is not enough, shortens the results of the
 * oldest steps of the current answer. Its message and its last step stay whole. `size` exceeds the limit if these alone
 * are too long.
 *
 * @param fixedBytes of the tools, as JSON
 * @param limit of the whole prompt, in bytes
 */
function fitChat(
  chat: Chat,
  shown: Shown,
  fixedBytes: number,
  limit: number,
): { chat: Chat; size: number; cuts: Cuts } {
  const sizeOf = ({ words, steps }: Exchange): number =>
    Buffer.byteLength(words) + steps.reduce((sum, step) => sum + bytesOnce(stepMessages(step, shown)), 0)
  const [first] = chat.exchanges
  const before = { shortenedThrough: chat.shortenedThrough, leftOutThrough: (first?.number ?? 1) - 1 }
  const fixed = fixedBytes + bytesOf(buildChatPrompt({ ...chat, exchanges: [] }, shown)) + bytesOf(openingOf(chat))
  const exchanges = cutExchanges(chat.exchanges, before)
  const steps = exchanges.map((exchange, index) => ({
    step: exchange.number,
    whole: sizeOf(exchange),
    get shortened() {
      return sizeOf(shortened(exchange))
    },
    hasCalls: index === exchanges.length - 1,
  }))
  const { after, shortenedThrough, leftOutThrough } = fit({ fixed, steps }, before, limit)
  const cuts = { shortenedThrough, leftOutThrough }
  const cut = isFurther(cuts, before) ? cutExchanges(exchanges, cuts) : exchanges
  const answered = fitAnswer(cut, after, sizeOf, limit)
  return { chat: { ...chat, exchanges: answered.exchanges }, size: answered.size, cuts }
}

const cutExchanges = (exchanges: Exchange[], { shortenedThrough, leftOutThrough }: Cuts): Exchange[] =>
  exchanges
    .filter(({ number }) => number > leftOutThrough)
    .map((exchange, index, all) =>
      exchange.number <= shortenedThrough && index < all.length - 1 ? shortened(exchange) : exchange,
    )

/** Shortens the results of the steps of the last exchange, oldest first, until the size fits. */
function fitAnswer(all: Exchange[], before: number, sizeOf: (exchange: Exchange) => number, limit: number) {
  const exchanges = [...all]
  const last = exchanges.length - 1
  let size = before
  for (let most = 1; size > limit && most < (exchanges[last]?.steps.length ?? 0); most += 1) {
    const whole = exchanges[last] as Exchange
    exchanges[last] = shortened(whole, most)
    size += sizeOf(exchanges[last]) - sizeOf(whole)
  }
  return { exchanges, size }
}

/** Shortens the results of the first steps, or of all steps by default. */
const shortened = ({ steps, ...rest }: Exchange, most = steps.length): Exchange => ({
  ...rest,
  steps: steps.map((step, at) => (at < most ? { ...step, calls: step.calls.map(shortenCall) } : step)),
})
