import { LedgerEntry } from '../billing/ledger-entry.ts'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../database/database.ts'
import type { JudgedAnswer } from '../loop/ask.ts'
import type { Cuts } from '../loop/fit.ts'
import { lastCalls } from '../loop/last-calls.ts'
import type { StepOutcome } from '../loop/judge-answer.ts'
import type { Loop } from '../loop/loop.ts'
import type { OfferedTool, Plan } from '../loop/plan-calls.ts'
import type { StepOf, Used } from '../loop/write-step.ts'
import { Session } from '../sessions/session.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { ChatAnswer } from './chat-answer.ts'
import { lockAnswer, type Written } from './writer.ts'

/** What a step has come to. */
export interface Stepped extends Omit<JudgedAnswer, 'verdict' | 'output'> {
  outcome: StepOutcome
  /** The model that goes on, if it is another one. */
  other?: string
  cuts?: Cuts
}

/** Records steps of answers, each with its charge and the calls that it asks for, in one transaction. */
export function createRecordStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  loop: Pick<Loop, 'charge' | 'writeStep'>
}) {
  const { database, clock, config, loop } = context

  /** Nobody could read the answer after the end of its session. */
  async function mayAskUntil(trx: Transaction, { sessionId }: ChatAnswer, now: Date): Promise<Date> {
    const { expiresAt: end } = await Session.query(trx).findById(sessionId).throwIfNotFound()
    const latest = later(now, config.budgets.waitSeconds)
    return end < latest ? end : latest
  }

  /** What the calls of a step are planned with. Most steps have none. */
  async function planOf(trx: Transaction, answer: ChatAnswer, { calls }: Stepped, tools: OfferedTool[]) {
    const now = clock.now()
    const plan: Omit<Plan, 'step' | 'calls'> = { before: [], tools, now, mayAskUntil: now }
    if (calls.length === 0) return plan
    const all = ToolCall.query(trx).where({ subjectId: answer.id })
    const before = await lastCalls(all, answer.steps).select('name', 'arguments')
    return { ...plan, before, mayAskUntil: await mayAskUntil(trx, answer, now) }
  }

  async function write(trx: Transaction, answer: ChatAnswer, stepped: Stepped, tools: OfferedTool[]): Promise<void> {
    const { outcome, cuts, other, bytesPerToken = null } = stepped
    const plan = await planOf(trx, answer, stepped, tools)
    const { counters, calls } = await loop.writeStep(
      trx,
      nextStepOf(answer),
      stepped,
      { outcome, ...cuts, bytesPerToken },
      plan,
    )
    const counted = { ...counters, steps: answer.steps + 1, toolCalls: answer.toolCalls + calls.length }
    await ChatAnswer.query(trx)
      .findById([answer.sessionId, answer.number])
      .patch({ ...counted, ...(other !== undefined && { model: other }) })
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
     * confirmation was lost. Throws LostAnswerError.
     */
    record: (written: Written, before: ChatAnswer, stepped: Stepped, tools: OfferedTool[]): Promise<ToolCall[]> =>
      persistently(async (trx) => {
        const answer = await lockAnswer(trx, written)
        if (answer.steps === before.steps) await write(trx, answer, stepped, tools)
        if (stepped.calls.length === 0) return []
        return ToolCall.query(trx)
          .where({ subjectId: answer.id, step: before.steps + 1 })
          .orderBy('position')
      }),

    /** From now on, the answer asks another model. Throws LostAnswerError. */
    changeModel: (written: Written, model: string): Promise<ChatAnswer> =>
      persistently(async (trx) => {
        const answer = await lockAnswer(trx, written)
        await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch({ model })
        return Object.assign(answer, { model })
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
