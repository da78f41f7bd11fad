import { setTimeout as delay } from 'node:timers/promises'
import type { Billing } from '../billing/billing.ts'
import { requireCredits } from '../billing/account-status.ts'
import type { Database } from '../database/database.ts'
import { createAsk, type JudgedAnswer, type Question } from '../loop/ask.ts'
import { modelTools, offerTo } from '../loop/offer.ts'
import { emptyAnswer, ModelError } from '../models/failures.ts'
import type { Models } from '../models/models.ts'
import { bytesOf } from '../models/prompt-size.ts'
import type { Usage } from '../models/usage.ts'
import type { Outages } from '../outages/outages.ts'
import type { Outputs } from '../outputs/outputs.ts'
import type { SessionTool } from '../sessions/session-sites.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Session } from '../sessions/session.ts'
import { NoPlaceError } from '../shares/places.ts'
import type { Sites } from '../sites/sites.ts'
import type { ChatToolCall } from '../tools/tool-call.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { readConversation } from './conversation.ts'
import type { createRecordStep, Stepped } from './record-step.ts'
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

/** Asks the model of an answer, once for each step: whoever waits can ask again sooner than a provider recovers. */
export function createChatSteps(context: {
  database: Database
  billing: Billing
  models: Models
  outages: Pick<Outages, 'answered'>
  outputs: Outputs
  sessions: Sessions
  sites: Sites
  recordStep: ReturnType<typeof createRecordStep>
}) {
  const { database, billing, models, outages, sessions, recordStep } = context
  const askModel = createAsk(context)

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
    if (text.trim() === '') return recordStep.chargeLost(answer, { ...used, cost })
    const rest = { finish: 'other' as const, calls: [], content: null, outcome: null, latencyMs: 0 }
    await recordStep.record(written, answer, { ...used, ...rest, model, text, cost }, [])
  }

  async function questionOf({ session, answer }: Asking): Promise<Question<SessionTool>> {
    const { model, sessionId: cacheKey, ownerId } = answer
    const offer = await offerTo(models, { model, ownerId }, await sessions.offerOf(session))
    const tools = modelTools(offer)
    const chat = { ...(await readConversation(database, answer)), missingTools: offer.missing }
    const prompt = await models.chatPrompt(model, { chat, tools, secrets: offer.tokens, party: ownerId, cacheKey })
    return { prompt, offer, isSummary: false, bytes: () => bytesOf(prompt) + bytesOf(tools) }
  }

  /** In its place from the look at the balance until the charge: other answers may have spent what was left. */
  async function askInPlace(asking: Asking, question: Question<SessionTool>) {
    const { answer, written, signal } = asking
    const { model, ownerId, sessionId: cacheKey } = answer
    await hold(written, answer)
    let used: Usage | undefined
    let said = ''
    const add = (text: string) => {
      said += text
      return asking.onWords(text)
    }
    const onGivenUp = (usage: Usage | undefined) => {
      used = usage
    }
    const speak = () => ({ add, end: () => undefined })
    try {
      const given = { model, ownerId, cacheKey, signal, isRead: true, speak, onGivenUp }
      const { answer: judged, offer } = await askModel(given, question, () => questionOf(asking))
      used = judged
      await outages.answered(model)
      const calls = await recordStep.record(written, answer, steppedOf(judged), offer.tools)
      return { calls, finish: judged.finish, text: judged.text }
    } catch (error) {
      used ??= error instanceof ModelError ? error.usage : undefined
      const text = signal.reason === 'stopped' && !(error instanceof LostAnswerError) ? said : ''
      if (used) await recordLost(asking, { ...used, text })
      throw error
    }
  }

  return {
    /** What must not be in the outcome of a call. */
    async secretsOf(session: Session): Promise<string[]> {
      return [...models.secrets, ...(await sessions.offerOf(session)).tokens]
    },

    /**
     * Makes one step and records it. Throws NO_CREDITS, MODEL_ERROR, LostAnswerError, or the signal's reason; what was
     * used until then is charged.
     */
    async ask(asking: Asking): Promise<{ calls: ChatToolCall[]; finish: string; text: string }> {
      const question = await questionOf(asking)
      return inPlace(asking.answer, asking.signal, () => askInPlace(asking, question))
    },
  }
}

/** An empty answer is a MODEL_ERROR. One that was refused ends the answer. */
function steppedOf({ verdict, ...answer }: JudgedAnswer): Stepped {
  const outcome = verdict?.outcome ?? null
  if (outcome !== null && outcome !== 'refused') throw emptyAnswer(answer)
  const calls = answer.calls.map((call) => ({ ...call, refusal: call.problem ?? call.argumentProblem }))
  return { ...answer, calls, outcome }
}
