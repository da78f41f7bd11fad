import { setTimeout as delay } from 'node:timers/promises'
import type { Billing } from '../billing/billing.ts'
import { requireCredits } from '../billing/account-status.ts'
import type { Database } from '../database/database.ts'
import type { Hiding } from '../hiding/hiding.ts'
import { checkArguments } from '../loop/plan-calls.ts'
import { ModelError } from '../models/failures.ts'
import type { Models } from '../models/models.ts'
import { toModelTool } from '../models/offer/offer.ts'
import { bytesOf } from '../models/prompt-size.ts'
import { PromptTooLong } from '../models/refusals/prompt-too-long.ts'
import { measuredBytesPerToken } from '../models/prompt-tokens.ts'
import type { Usage } from '../models/usage.ts'
import type { Outages } from '../outages/outages.ts'
import type { SessionTool } from '../sessions/session-sites.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Session } from '../sessions/session.ts'
import { NoPlaceError } from '../shares/places.ts'
import type { Sites } from '../sites/sites.ts'
import type { ChatToolCall } from '../tools/tool-call.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { readConversation } from './conversation.ts'
import type { createRecordStep } from './record-step.ts'
import { judgeChat } from './judge.ts'
import { lockAnswer, LostAnswerError, type Written } from './writer.ts'

/** What a step is asked with. */
export interface Asking {
  session: Session
  answer: ChatAnswer
  written: Written
  /** Takes the words as they come. */
  onWords: (text: string) => void | Promise<void>
  signal: AbortSignal
}

/** What a session may use now, and what nobody may read. */
export interface Offered {
  tools: SessionTool[]
  secrets: string[]
  /** Those of the session's sites. */
  tokens: string[]
  hiding: Hiding
}

/** Asks the model of an answer, once for each step: whoever waits can ask again sooner than a provider recovers. */
export function createChatSteps(context: {
  database: Database
  billing: Billing
  models: Models
  outages: Pick<Outages, 'answered'>
  sessions: Sessions
  sites: Sites
  recordStep: ReturnType<typeof createRecordStep>
}) {
  const { database, billing, models, outages, sessions, sites, recordStep } = context

  async function offerOf(session: Session): Promise<Offered> {
    const { tools, tokens } = await sessions.offerOf(session)
    return { tools, secrets: [...models.secrets, ...tokens], hiding: await models.hiding(tokens), tokens }
  }

  /** A place at the provider, however long that takes: the answer's own time limit ends it. */
  async function inPlace<T>(answer: ChatAnswer, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await models.inPlace(answer.model, answer.ownerId, signal, work)
      } catch (error) {
        if (!(error instanceof NoPlaceError)) throw error
        await delay(200, undefined, { signal })
      }
    }
  }

  /** Other steps may hold what is left: this one comes again. Throws NO_CREDITS, LostAnswerError. */
  const hold = (written: Written, before: ChatAnswer): Promise<void> =>
    database.transaction(async (trx) => {
      // Under the answer's lock, so that nothing is held for one that has ended.
      const { id: subjectId, ownerId, ...used } = await lockAnswer(trx, written)
      requireCredits(await billing.account(ownerId, trx))
      const held = await billing.credits.hold(trx, { ownerId, subjectId, step: before.steps + 1, used })
      if (held === undefined) throw new NoPlaceError()
    })

  /** What was used is charged; whoever stops an answer keeps what it has said. */
  async function recordLost({ written, answer }: Asking, { text, ...used }: Usage & { text: string }): Promise<void> {
    const { model } = answer
    const cost = await models.costOf(model, used)
    if (text.trim() === '') return recordStep.chargeLost(answer, used, cost)
    const rest = { finish: 'other' as const, calls: [], content: null, outcome: null, latencyMs: 0 }
    await recordStep.record(written, answer, { ...used, ...rest, model, text, cost }, [])
  }

  async function requestOf({ session, answer, signal }: Asking) {
    const { tools: found, hiding, tokens } = await offerOf(session)
    const { model, sessionId: cacheKey, ownerId: party } = answer
    const { tools, leftOut: missingTools } = models.offer(model, answer.ownerId, found)
    const offered = tools.map(toModelTool)
    const chat = { ...(await readConversation(database, answer)), missingTools }
    const prompt = await models.chatPrompt(model, { chat, tools: offered, secrets: tokens, party, cacheKey })
    return { tools, request: { model, prompt, tools: offered, cacheKey, party, signal, hiding } }
  }

  /** In its place from the look at the balance until the charge: other answers may have spent what was left. */
  async function askInPlace(asking: Asking, { tools, ...prepared }: Awaited<ReturnType<typeof requestOf>>) {
    const { answer, written, signal } = asking
    let { request } = prepared
    await hold(written, answer)
    let used: Usage | undefined
    let said = ''
    const onWords = (text: string) => {
      said += text
      return asking.onWords(text)
    }
    const onGivenUp = (usage: Usage | undefined) => {
      used = usage
    }
    try {
      const result = await models.step({ ...request, onWords, onGivenUp }).catch(async (error: unknown) => {
        if (!(error instanceof PromptTooLong) || said !== '' || signal.aborted) throw error
        // Of the chat, less is shown now.
        request = (await requestOf(asking)).request
        return models.step({ ...request, onWords, onGivenUp })
      })
      used = result
      await outages.answered(answer.model)
      const outcome = judgeChat(result)
      const calls = await checkArguments(sites, answer.ownerId, result.calls, tools)
      const cost = await models.costOf(answer.model, result)
      const bytesPerToken = measuredBytesPerToken(bytesOf(request.prompt) + bytesOf(request.tools), result.inputTokens)
      const stepped = { ...result, calls, cost, outcome, bytesPerToken }
      const recorded = await recordStep.record(written, answer, stepped, tools)
      return { calls: recorded, finish: result.finish, text: result.text }
    } catch (error) {
      used ??= error instanceof ModelError ? error.usage : undefined
      const text = signal.reason === 'stopped' && !(error instanceof LostAnswerError) ? said : ''
      if (used) await recordLost(asking, { ...used, text })
      throw error
    }
  }

  return {
    offerOf,

    /**
     * Makes one step and records it. Throws NO_CREDITS, MODEL_ERROR, LostAnswerError, or the signal's reason; what was
     * used until then is charged.
     */
    async ask(asking: Asking): Promise<{ calls: ChatToolCall[]; finish: string; text: string }> {
      const prepared = await requestOf(asking)
      return inPlace(asking.answer, asking.signal, () => askInPlace(asking, prepared))
    },
  }
}
