import { setTimeout as delay } from 'node:timers/promises'
import type { Billing } from '../billing/billing.ts'
import { requireCredits } from '../billing/account-status.ts'
import type { Clock } from '../clock.ts'
import { isTransient, retryWhileUnavailable, type Database } from '../database/database.ts'
import { noAnswer, outcomeOf } from '../loop/judge.ts'
import type { LiveWords } from '../loop/live-words.ts'
import type { Loop } from '../loop/loop.ts'
import type { Used } from '../loop/write-step.ts'
import type { Outages } from '../outages/outages.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Session } from '../sessions/session.ts'
import { NoPlaceError } from '../shares/places.ts'
import type { ToolCall } from '../tools/tool-call.ts'
import type { AnswerQuestion, AnswerSpoken, Asking, Attempt } from './attempt.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { isTold } from './told-steps.ts'
import { readConversation } from './conversation.ts'
import { createOtherModel } from './other-model.ts'
import type { createRecordStep } from './record-step.ts'
import { goesOn, lockAnswer, LostAnswerError, type Written } from './writer.ts'

/** What a step has come to. */
interface StepTaken {
  calls: ToolCall[]
  finish: string
  text: string
  /** Whether readers are told of it. */
  isTold: boolean
  /** Whether the answer is over. */
  isOver: boolean
}

/**
 * Asks the model of an answer, once for each step: whoever waits can ask again sooner than a provider recovers. If that
 * fails before a word was told, the session's fallback model is asked.
 */
export function createChatSteps(context: {
  database: Database
  clock: Clock
  billing: Billing
  live: Pick<LiveWords<AnswerSpoken>, 'begin'>
  loop: Loop
  outages: Pick<Outages, 'answered' | 'of'>
  sessions: Sessions
  recordStep: ReturnType<typeof createRecordStep>
}) {
  const { database, billing, live, loop, outages, sessions, recordStep } = context
  const otherModel = createOtherModel(context)

  /** A place at the provider, however long that takes: the answer's own time limit ends it. */
  async function inPlace<T>(answer: ChatAnswer, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await loop.inPlace(answer.model, answer.ownerId, signal, work)
      } catch (error) {
        if (!(error instanceof NoPlaceError)) throw error
        await delay(200, undefined, { signal })
      }
    }
  }

  /** Other steps may hold what is left: this one comes again. Throws NO_CREDITS, LostAnswerError. */
  const hold = (written: Written, before: ChatAnswer): Promise<void> =>
    retryWhileUnavailable(() =>
      database.transaction(async (trx) => {
        // Under the answer's lock, so that nothing is held for one that has ended.
        const { id: subjectId, ownerId, ...used } = await lockAnswer(trx, written)
        requireCredits(await billing.account(ownerId, trx))
        const held = await billing.credits.hold(trx, { ownerId, subjectId, step: before.steps + 1, used })
        if (held === undefined) throw new NoPlaceError()
      }),
    )

  /** What was used is charged; whoever stops an answer keeps what it has said. */
  async function recordLost(attempt: Attempt, used: Used, text: string): Promise<void> {
    const { written, answer } = attempt
    if (text.trim() === '') return recordStep.chargeLost(written, answer, used)
    const rest = { finish: 'other' as const, calls: [], content: null, latencyMs: 0 }
    const judged = { verdict: undefined, output: null, isSummary: false }
    await recordStep.record(attempt, { ...used, ...rest, ...judged, model: answer.model, text }, [])
  }

  /** This process asks again, or another one does, and that step is charged. */
  async function isAskedAgain({ signal, written, progress }: Attempt, error: unknown): Promise<boolean> {
    if (!signal.aborted) return isTransient(error) && progress.said === ''
    return signal.reason === 'shutdown' && (await goesOn(database, written))
  }

  async function questionOf({ session, answer, summarizes, progress }: Attempt): Promise<AnswerQuestion> {
    const { model, sessionId: cacheKey, ownerId } = answer
    const [offered, chat] = await Promise.all([
      sessions.offerOf(session),
      readConversation(database, answer, summarizes),
    ])
    const offer = await loop.offer({ model, ownerId }, offered)
    const question = await loop.ofChat({ model, ownerId, cacheKey, offer }, chat)
    progress.isSummary = question.isSummary
    return question
  }

  /** In its place from the look at the balance until the charge: other answers may have spent what was left. */
  async function askInPlace(attempt: Attempt, first: AnswerQuestion): Promise<StepTaken> {
    const { answer, written, passing, progress, signal } = attempt
    const { model, ownerId, sessionId: cacheKey } = answer
    await hold(written, answer)
    let used: Used | undefined
    const speak = () => {
      const { id: subjectId, steps, takeovers } = answer
      const words = live.begin({ subjectId, step: steps + 1, attempt: takeovers, sessionId: cacheKey, passing })
      const add = (text: string) => {
        progress.said += text
        words.add(text)
        return attempt.onWords(text)
      }
      return { ...words, add }
    }
    const onLost = (lost: Used) => {
      used = lost
    }
    try {
      const asking = { model, ownerId, cacheKey, signal, isRead: true, speak, onLost }
      let question = first
      const again = async () => (question = await questionOf(attempt))
      const { answer: judged, offer } = await loop.ask(asking, first, again)
      used = judged
      // The model is not asked again because Postgres breaks now.
      await retryWhileUnavailable(() => outages.answered(model))
      const { calls, isOver } = await recordStep.record(attempt, { ...judged, cuts: question.cuts }, offer.tools)
      const isStepTold = isTold({ outcome: outcomeOf(judged) })
      if (isOver && !isStepTold) throw noAnswer()
      return { calls, finish: judged.finish, text: judged.text, isTold: isStepTold, isOver }
    } catch (error) {
      const text = signal.reason === 'stopped' && !(error instanceof LostAnswerError) ? progress.said : ''
      if (used && !(await isAskedAgain(attempt, error))) await recordLost(attempt, used, text)
      throw error
    }
  }

  async function askOnce(attempt: Attempt): Promise<StepTaken> {
    const question = await questionOf(attempt)
    return inPlace(attempt.answer, attempt.signal, () => askInPlace(attempt, question))
  }

  return {
    /** What must not be in the outcome of a call. */
    async secretsOf(session: Session): Promise<string[]> {
      return [...loop.secrets, ...(await sessions.offerOf(session)).tokens]
    },

    /**
     * Makes one step and records it. Throws NO_CREDITS, MODEL_ERROR, LostAnswerError, or the signal's reason; what was
     * used until then is charged.
     */
    async ask(given: Asking): Promise<StepTaken> {
      const progress = { said: '', isSummary: false }
      let attempt = await otherModel.unlessOut({ ...given, summarizes: given.session.summarizes, progress })
      for (;;) {
        try {
          return await askOnce(attempt)
        } catch (error) {
          const next = await otherModel.after(attempt, error)
          if (!next) throw error
          attempt = next
        }
      }
    },
  }
}
