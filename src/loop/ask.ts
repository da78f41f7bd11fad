import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { ModelError } from '../models/failures.ts'
import type { Models, StepResult } from '../models/models.ts'
import type { Cost } from '../models/prices.ts'
import { measuredBytesPerToken } from './prompt-tokens.ts'
import { PromptTooLong } from '../models/refusals/prompt-too-long.ts'
import type { Usage } from '../models/usage.ts'
import type { Outputs } from '../outputs/outputs.ts'
import type { Sites } from '../sites/sites.ts'
import { judge, type Judgement } from './judge.ts'
import { modelTools, withoutRefused, type Offer } from './offer.ts'
import { checkArguments, type CheckedCall } from './plan-calls.ts'
import type { Used } from './write-step.ts'

/** What a model is asked in a step: for its answer, or for a summary of what it will not be shown any more. */
export interface Question {
  prompt: LanguageModelV4Prompt
  offer: Offer
  isSummary: boolean
  outputSchema?: object | undefined
  /** The size of prompt and tools. */
  bytes: () => number
}

/** The words of an answer as they arrive. */
interface Words {
  add: (text: string) => void | Promise<void>
  end: () => void
}

/** Who asks which model, and what becomes of the words. */
export interface Asking {
  model: string
  ownerId: string
  /** Questions of one run or chat begin alike. */
  cacheKey: string
  signal: AbortSignal
  /** Begins to take the words of an answer. */
  speak: () => Words
  /** Whether a reader has the words before the answer is recorded: they are not replaced then. */
  isRead: boolean
  /** Learns what the call has used if its answer comes to nothing. Its provider bills that all the same. */
  onLost: (used: Used) => void
}

/** A model's answer, with what was made of it. */
export interface JudgedAnswer extends StepResult, Judgement {
  isSummary: boolean
  calls: CheckedCall[]
  cost: Cost | undefined
  bytesPerToken?: number
}

/** An answer, and what the model was offered in the end. */
interface Asked {
  answer: JudgedAnswer
  offer: Offer
}

/** Asks the models of runs and chats. */
export function createAsk(context: {
  models: Pick<Models, 'step' | 'costOf'>
  sites: Pick<Sites, 'argumentProblems'>
  outputs: Pick<Outputs, 'read'>
}) {
  const { models, sites, outputs } = context

  async function judged(
    result: StepResult,
    { ownerId, isRead }: Asking,
    { offer, outputSchema: schema, bytes }: Question,
  ): Promise<JudgedAnswer> {
    return {
      ...result,
      isSummary: false,
      calls: await checkArguments(sites, ownerId, result.calls, offer.tools),
      ...(await judge(result, { outputs, schema, ownerId, isRead })),
      cost: await models.costOf(result.model, result),
      bytesPerToken: measuredBytesPerToken(bytes(), result.inputTokens),
    }
  }

  /** A summary without words leaves the conversation without one; it was billed all the same. */
  const asSummary = async (result: StepResult): Promise<JudgedAnswer> => ({
    ...result,
    isSummary: true,
    calls: [],
    verdict: undefined,
    output: null,
    cost: await models.costOf(result.model, result),
  })

  async function answerTo(asking: Asking, question: Question): Promise<Asked> {
    const { model, cacheKey, ownerId: party, signal, speak } = asking
    const { prompt, offer, isSummary, outputSchema } = question
    let used: Usage | undefined
    const onGivenUp = (usage: Usage | undefined) => {
      used = usage
    }
    const common = { model, prompt, cacheKey, party, signal, hiding: offer.hiding, onGivenUp }
    const words = isSummary ? undefined : speak()
    try {
      const result = await models
        .step({ ...common, tools: isSummary ? [] : modelTools(offer), outputSchema, onWords: words?.add })
        .finally(words?.end)
      used = result
      const answer = await (isSummary ? asSummary(result) : judged(result, asking, question))
      return { answer, offer: withoutRefused(offer, result.refusedTools) }
    } catch (error) {
      if (error instanceof ModelError) used ??= error.usage
      if (used) asking.onLost({ ...used, cost: await models.costOf(model, used) })
      throw error
    }
  }

  /**
   * Asks a question, and once more `again` if its prompt is too long for the provider: the window is narrower then.
   * Throws MODEL_ERROR, or the signal's reason.
   */
  return async (asking: Asking, question: Question, again: () => Promise<Question>): Promise<Asked> => {
    let hasSpoken = false
    const speak = (): Words => {
      const words = asking.speak()
      const add = (text: string) => {
        hasSpoken = true
        return words.add(text)
      }
      return { ...words, add }
    }
    try {
      return await answerTo({ ...asking, speak }, question)
    } catch (error) {
      if (!(error instanceof PromptTooLong) || hasSpoken || asking.signal.aborted) throw error
      return answerTo({ ...asking, speak }, await again())
    }
  }
}
