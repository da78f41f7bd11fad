import type { Approvals } from '../approvals/approvals.ts'
import { LedgerEntry } from '../billing/ledger-entry.ts'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../database/database.ts'
import type { JudgedAnswer } from '../loop/ask.ts'
import type { Cuts } from '../loop/fit.ts'
import { lastCalls } from '../loop/last-calls.ts'
import type { StepOutcome } from '../loop/judge-answer.ts'
import type { Loop } from '../loop/loop.ts'
import { planCalls, type OfferedTool } from '../loop/plan-calls.ts'
import { Step } from '../loop/step.ts'
import { stepRow, type Used } from '../loop/write-step.ts'
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
  loop: Pick<Loop, 'charge'>
  approvals: Pick<Approvals, 'request'>
}) {
  const { database, clock, config, loop, approvals } = context

  /** Charges the answer's next step; returns the credits, and the answer's counters after it. */
  const chargeNext = (trx: Transaction, answer: ChatAnswer, used: Used, failed: { failedAttempt?: number } = {}) =>
    loop.charge(trx, { ownerId: answer.ownerId, answerId: answer.id, step: answer.steps + 1, ...failed }, answer, used)

  /** Nobody could read the answer after the end of its session. */
  async function mayAskUntil(trx: Transaction, { sessionId }: ChatAnswer, now: Date): Promise<Date> {
    const { expiresAt: end } = await Session.query(trx).findById(sessionId).throwIfNotFound()
    const latest = later(now, config.budgets.waitSeconds)
    return end < latest ? end : latest
  }

  /** Records the calls of a step, and asks for the approvals that they need. Returns how many there are. */
  async function writeCalls(
    trx: Transaction,
    answer: ChatAnswer,
    step: number,
    { calls }: Stepped,
    tools: OfferedTool[],
  ) {
    if (calls.length === 0) return 0
    const now = clock.now()
    const { id: answerId, ownerId, sessionId } = answer
    const before = await lastCalls(ToolCall.query(trx).where({ subjectId: answerId }), answer.steps).select(
      'name',
      'arguments',
    )
    const expiresAt = await mayAskUntil(trx, answer, now)
    const { planned, toApprove } = planCalls({ step, before, calls, tools, now, mayAskUntil: expiresAt })
    await ToolCall.query(trx).insert(planned.map((call) => ({ ...call, subjectId: answerId })))
    if (toApprove.length === 0) return planned.length
    const of = { sessionId, answerId }
    await approvals.request(trx, { ownerId, of, asker: 'A chat', calls: toApprove, expiresAt })
    return planned.length
  }

  async function write(trx: Transaction, answer: ChatAnswer, stepped: Stepped, tools: OfferedTool[]): Promise<void> {
    const step = answer.steps + 1
    const { outcome, bytesPerToken = null } = stepped
    const { credits, counters } = await chargeNext(trx, answer, stepped)
    const row = stepRow(stepped, { step, outcome, remark: null, credits, recordedAt: clock.now() })
    await Step.query(trx).insert({ ...row, ...stepped.cuts, subjectId: answer.id, bytesPerToken })
    const toolCalls = answer.toolCalls + (await writeCalls(trx, answer, step, stepped, tools))
    const changes = {
      ...counters,
      steps: step,
      toolCalls,
      ...(stepped.other !== undefined && { model: stepped.other }),
    }
    await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch(changes)
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
        const { counters } = await chargeNext(trx, answer, used, { failedAttempt })
        await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch(counters)
      }),
  }
}
