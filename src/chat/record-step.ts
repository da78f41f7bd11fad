import { LedgerEntry } from '../billing/ledger-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../database/database.ts'
import type { JudgedAnswer } from '../loop/ask.ts'
import type { Cuts } from '../loop/fit.ts'
import { lastCalls } from '../loop/last-calls.ts'
import { isOver, outcomeOf } from '../loop/judge.ts'
import type { Loop } from '../loop/loop.ts'
import type { OfferedTool } from '../loop/offer.ts'
import type { Plan } from '../loop/plan-calls.ts'
import type { StepOf, Used } from '../loop/write-step.ts'
import type { Outages } from '../outages/outages.ts'
import type { Session } from '../sessions/session.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { otherModelOf, type Asking } from './attempt.ts'
import { ChatAnswer } from './chat-answer.ts'
import { mayAskUntil } from './may-ask-until.ts'
import { lockAnswer, type Written } from './writer.ts'

/** What a step has come to. */
export type Stepped = JudgedAnswer & { cuts?: Cuts }

/** Whose step is recorded: the answer as it was before. */
type Recording = Pick<Asking, 'session' | 'written' | 'answer'>

/** Records steps of answers, each with its charge and the calls that it asks for, in one transaction. */
export function createRecordStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  loop: Pick<Loop, 'charge' | 'writeStep'>
  outages: Pick<Outages, 'of'>
}) {
  const { database, clock, config, loop, outages } = context

  /** What the calls of a step are planned with. Most steps have none. */
  async function planOf(trx: Transaction, answer: ChatAnswer, { calls }: Stepped, tools: OfferedTool[]) {
    const now = clock.now()
    const plan: Omit<Plan, 'step' | 'calls'> = { before: [], tools, now, mayAskUntil: now }
    if (calls.length === 0) return plan
    const before = await lastCalls(trx, answer.id, answer.steps).select('name', 'arguments')
    return { ...plan, before, mayAskUntil: await mayAskUntil(trx, config, answer, now) }
  }

  /** Returns what the step changes in its answer. */
  async function write(
    trx: Transaction,
    session: Session,
    answer: ChatAnswer,
    stepped: Stepped,
    tools: OfferedTool[],
  ): Promise<Partial<ChatAnswer>> {
    const { cuts, bytesPerToken = null } = stepped
    const plan = await planOf(trx, answer, stepped, tools)
    const of = nextStepOf(answer)
    const { counters, isModelGivenUp } = await loop.writeStep(trx, of, stepped, { ...cuts, bytesPerToken }, plan)
    const other = isModelGivenUp ? await otherModelOf(outages, trx, { session, answer }) : undefined
    const changes = { ...counters, ...(other !== undefined && { model: other, corrections: 0 }) }
    await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch(changes)
    return changes
  }

  /** How many attempts at the answer's next step were charged. */
  const chargedBefore = (trx: Transaction, { id: answerId, steps }: ChatAnswer): Promise<number> =>
    LedgerEntry.query(trx)
      .where({ kind: 'chat_step', answerId, step: steps + 1 })
      .resultSize()

  const persistently = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    retryWhileUnavailable(() => database.transaction(work))

  return {
    /**
     * Records the step that comes after those of `before`, once: an attempt may have been committed although its
     * confirmation was lost. Returns its calls, and whether the answer is over without any. Throws LostAnswerError.
     */
    record: (
      { session, written, answer: before }: Recording,
      stepped: Stepped,
      tools: OfferedTool[],
    ): Promise<{ calls: ToolCall[]; isOver: boolean }> =>
      persistently(async (trx) => {
        const answer = await lockAnswer(trx, written)
        const { id: subjectId, steps } = answer
        if (steps === before.steps) Object.assign(answer, await write(trx, session, answer, stepped, tools))
        const { model, corrections } = answer
        const isOtherAsked = model !== before.model
        if (stepped.calls.length === 0) {
          return { calls: [], isOver: isOver(outcomeOf(stepped), { corrections, isOtherAsked }) }
        }
        const calls = ToolCall.query(trx).where({ subjectId, step: before.steps + 1 })
        return { calls: await calls.orderBy('position'), isOver: false }
      }),

    /** From now on, the answer asks another model. Throws LostAnswerError. */
    changeModel: (written: Written, model: string): Promise<ChatAnswer> =>
      persistently(async (trx) => {
        const answer = await lockAnswer(trx, written)
        await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch({ model, corrections: 0 })
        return Object.assign(answer, { model, corrections: 0 })
      }),

    /**
     * Charges what the step after those of `before` has used and that came to nothing, once: also if the answer has ended
     * meanwhile, since nobody else knows of it. If another process continues the answer, its step is charged instead.
     */
    chargeLost: ({ writer }: Written, before: ChatAnswer, used: Used): Promise<void> =>
      persistently(async (trx) => {
        const answer = await ChatAnswer.query(trx).findOne({ id: before.id }).forUpdate()
        if (!answer || answer.credits > before.credits) return
        if (answer.endedAt === null && answer.writer !== writer) return
        const failedAttempt = 1 + (await chargedBefore(trx, answer))
        const { charged } = nextStepOf(answer)
        const { counters } = await loop.charge(trx, { ...charged, failedAttempt }, answer, used)
        await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch(counters)
      }),
  }
}

const nextStepOf = (answer: ChatAnswer): StepOf => {
  const { id: answerId, ownerId, sessionId } = answer
  return {
    subjectId: answerId,
    charged: { ownerId, answerId, step: answer.steps + 1 },
    before: answer,
    asks: { of: { sessionId, answerId }, asker: () => 'A chat' },
  }
}
