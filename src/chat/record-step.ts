import type { Approvals } from '../approvals/approvals.ts'
import type { Billing } from '../billing/billing.ts'
import { LedgerEntry } from '../billing/ledger-entry.ts'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import { createCharge, stepRow, type Used } from '../loop/write-step.ts'
import type { Cuts } from '../models/fit.ts'
import type { StepResult } from '../models/models.ts'
import type { Cost } from '../models/prices.ts'
import { Session } from '../sessions/session.ts'
import type { SessionTool } from '../sessions/session-sites.ts'
import { ChatToolCall } from '../tools/tool-call.ts'
import { ChatAnswer } from './chat-answer.ts'
import { ChatStep } from './chat-step.ts'
import { lockAnswer, type Written } from './writer.ts'

/** A call that the model asked for, and why it is not made, if so. */
export type JudgedCall = StepResult['calls'][number] & { refusal: string | undefined }

/** A tool under the name that the model knows. */
export type NamedTool = SessionTool & { name: string }

/** What a step has come to. */
export interface Stepped extends Omit<StepResult, 'calls'> {
  calls: JudgedCall[]
  outcome: ChatStep['outcome']
  /** The model that goes on, if it is another one. */
  other?: string
  cost: Cost | undefined
  bytesPerToken?: number
  cuts?: Cuts
}

/** Records steps of answers, each with its charge and the calls that it asks for, in one transaction. */
export function createRecordStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'creditUsd' | 'budgets'>
  billing: Billing
  approvals: Pick<Approvals, 'request'>
}) {
  const { database, clock, config, approvals } = context
  const charge = createCharge(context)

  /** Charges the answer's next step; returns the credits, and the answer's counters after it. */
  const chargeNext = (trx: Transaction, answer: ChatAnswer, used: Used, failed: { failedAttempt?: number } = {}) =>
    charge(trx, { ownerId: answer.ownerId, answerId: answer.id, step: answer.steps + 1, ...failed }, answer, used)

  async function askFirst(trx: Transaction, answer: ChatAnswer, calls: ChatToolCall[]): Promise<void> {
    const asking = calls.filter(({ asksFirst, status }) => asksFirst && status === 'planned')
    if (asking.length === 0) return
    const { expiresAt: end } = await Session.query(trx).findById(answer.sessionId).throwIfNotFound()
    const latest = later(clock.now(), config.budgets.waitSeconds)
    await approvals.request(trx, {
      ownerId: answer.ownerId,
      of: { sessionId: answer.sessionId, answerId: answer.id },
      asker: 'A chat',
      calls: asking.map(({ id, siteOrigin, tool, arguments: given }) => ({
        callId: id,
        siteOrigin: siteOrigin ?? '',
        tool: tool ?? '',
        arguments: given,
      })),
      // Nobody could read the answer after the end of its session.
      expiresAt: end < latest ? end : latest,
    })
  }

  async function write(trx: Transaction, answer: ChatAnswer, stepped: Stepped, tools: NamedTool[]): Promise<void> {
    const step = answer.steps + 1
    const now = clock.now()
    const { outcome, bytesPerToken = null } = stepped
    const { credits, counters } = await chargeNext(trx, answer, stepped)
    const row = stepRow(stepped, { step, outcome, remark: null, credits, recordedAt: now })
    await ChatStep.query(trx).insert({ ...row, ...stepped.cuts, answerId: answer.id, bytesPerToken })
    const rows = stepped.calls.map((call, position) => {
      const tool = tools.find(({ name }) => name === call.name)
      return toCall({ answerId: answer.id, step, position, now }, call, tool)
    })
    const calls = rows.length > 0 ? await ChatToolCall.query(trx).insert(rows) : []
    await askFirst(trx, answer, calls)
    const counted = { steps: step, toolCalls: answer.toolCalls + calls.length }
    await ChatAnswer.query(trx)
      .findById([answer.sessionId, answer.number])
      .patch({ ...counters, ...counted, ...(stepped.other !== undefined && { model: stepped.other }) })
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
    record: (written: Written, before: ChatAnswer, stepped: Stepped, tools: NamedTool[]): Promise<ChatToolCall[]> =>
      persistently(async (trx) => {
        const answer = await lockAnswer(trx, written)
        if (answer.steps === before.steps) await write(trx, answer, stepped, tools)
        return ChatToolCall.query(trx)
          .where({ answerId: answer.id, step: before.steps + 1 })
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
     * Charges what the step after those of `before` has used and that came to nothing, once: also if the answer is not
     * this process's any more, since nobody else knows of it.
     */
    chargeLost: (before: ChatAnswer, used: Used): Promise<void> =>
      persistently(async (trx) => {
        const answer = await ChatAnswer.query(trx).findOne({ id: before.id }).forUpdate()
        if (!answer || answer.credits > before.credits) return
        const failedAttempt = 1 + (await chargedBefore(trx, answer))
        const { counters } = await chargeNext(trx, answer, used, { failedAttempt })
        await ChatAnswer.query(trx).findById([answer.sessionId, answer.number]).patch(counters)
      }),
  }
}

function toCall(
  place: { answerId: string; step: number; position: number; now: Date },
  { refusal, ...call }: JudgedCall,
  tool: NamedTool | undefined,
) {
  const { now, ...at } = place
  const ended = { status: 'failed' as const, result: refusal ?? '', endedAt: now }
  return {
    ...at,
    id: newId(),
    vaultEntryId: tool?.entryId ?? null,
    siteOrigin: tool?.siteOrigin ?? null,
    tool: tool?.tool.name ?? null,
    effect: tool?.tool.effect ?? ('once' as const),
    asksFirst: refusal === undefined && tool?.asksFirst === true,
    modelCallId: call.id,
    name: call.name,
    arguments: call.arguments,
    plannedAt: now,
    ...(refusal === undefined ? { status: 'planned' as const } : ended),
  }
}
