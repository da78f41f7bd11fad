import type { Approvals } from '../approvals/approvals.ts'
import type { Billing } from '../billing/billing.ts'
import { costWith, stepCredits } from '../billing/prices.ts'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../database/database.ts'
import { lastCalls } from '../loop/last-calls.ts'
import { planCalls, type CheckedCall, type OfferedTool } from '../loop/plan-calls.ts'
import type { StepResult } from '../models/models.ts'
import type { Cost } from '../models/prices.ts'
import type { StepProblem } from '../models/prompt-format.ts'
import type { Usage } from '../models/usage.ts'
import { Session } from '../sessions/session.ts'
import { ChatToolCall } from '../tools/tool-call.ts'
import { ChatAnswer } from './chat-answer.ts'
import { ChatStep } from './chat-step.ts'
import { lockAnswer, type Written } from './writer.ts'

/** What a step has come to. */
export interface Stepped extends Omit<StepResult, 'calls'> {
  calls: CheckedCall[]
  outcome: StepProblem | null
  cost: Cost | undefined
  bytesPerToken?: number
}

/** Records steps of answers, each with its charge and the calls that it asks for, in one transaction. */
export function createRecordStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'creditUsd' | 'budgets'>
  billing: Billing
  approvals: Pick<Approvals, 'request'>
}) {
  const { database, clock, config, billing, approvals } = context

  async function charge(trx: Transaction, answer: ChatAnswer, step: number, usage: Usage, cost: Cost | undefined) {
    const credits = stepCredits({ ...usage, nanoUsd: cost?.nanoUsd }, config.creditUsd)
    const tokens = usage.inputTokens + usage.outputTokens
    const { ownerId, id: answerId } = answer
    await billing.credits.chargeStep(trx, { ownerId, answerId, step, credits, tokens, cost })
    return {
      inputTokens: answer.inputTokens + usage.inputTokens,
      outputTokens: answer.outputTokens + usage.outputTokens,
      cachedTokens: answer.cachedTokens + usage.cachedTokens,
      credits: answer.credits + credits,
      costNanoUsd: costWith(answer.costNanoUsd, cost),
    }
  }

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
    const before = await lastCalls(ChatToolCall.query(trx).where({ answerId }), answer.steps).select(
      'name',
      'arguments',
    )
    const expiresAt = await mayAskUntil(trx, answer, now)
    const { planned, toApprove } = planCalls({ step, before, calls, tools, now, mayAskUntil: expiresAt })
    await ChatToolCall.query(trx).insert(planned.map((call) => ({ ...call, answerId })))
    if (toApprove.length === 0) return planned.length
    const of = { sessionId, answerId }
    await approvals.request(trx, { ownerId, of, asker: 'A chat', calls: toApprove, expiresAt })
    return planned.length
  }

  async function write(trx: Transaction, answer: ChatAnswer, stepped: Stepped, tools: OfferedTool[]): Promise<void> {
    const step = answer.steps + 1
    const charged = await charge(trx, answer, step, stepped, stepped.cost)
    await ChatStep.query(trx).insert(toRow(answer, step, stepped, charged.credits - answer.credits, clock.now()))
    const toolCalls = answer.toolCalls + (await writeCalls(trx, answer, step, stepped, tools))
    await ChatAnswer.query(trx)
      .findById([answer.sessionId, answer.number])
      .patch({ ...charged, steps: step, toolCalls })
  }

  const persistently = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    retryWhileUnavailable(() => database.transaction(work))

  return {
    /**
     * Records the step that comes after those of `before`, once: an attempt may have been committed although its
     * confirmation was lost. Throws LostAnswerError.
     */
    record: (written: Written, before: ChatAnswer, stepped: Stepped, tools: OfferedTool[]): Promise<ChatToolCall[]> =>
      persistently(async (trx) => {
        const answer = await lockAnswer(trx, written)
        if (answer.steps === before.steps) await write(trx, answer, stepped, tools)
        return ChatToolCall.query(trx)
          .where({ answerId: answer.id, step: before.steps + 1 })
          .orderBy('position')
      }),

    /**
     * Charges what the step after those of `before` has used and that came to nothing, once: also if the answer is not
     * this process's any more, since nobody else knows of it.
     */
    chargeLost: (before: ChatAnswer, usage: Usage, cost: Cost | undefined): Promise<void> =>
      persistently(async (trx) => {
        const answer = await ChatAnswer.query(trx).findOne({ id: before.id }).forUpdate()
        if (!answer || answer.credits > before.credits) return
        const charged = await charge(trx, answer, answer.steps + 1, usage, cost)
        await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch(charged)
      }),
  }
}

const toRow = (answer: ChatAnswer, step: number, stepped: Stepped, credits: number, recordedAt: Date) => ({
  answerId: answer.id,
  step,
  model: stepped.model,
  answer: stepped.text,
  finish: stepped.finish,
  inputTokens: stepped.inputTokens,
  outputTokens: stepped.outputTokens,
  cachedTokens: stepped.cachedTokens > 0 ? stepped.cachedTokens : null,
  costNanoUsd: stepped.cost?.nanoUsd ?? null,
  bytesPerToken: stepped.bytesPerToken ?? null,
  content: stepped.content,
  outcome: stepped.outcome,
  credits,
  latencyMs: stepped.latencyMs,
  recordedAt,
})
