import { Agent } from '../../agents/agent.ts'
import type { Approval } from '../../approvals/approval.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { JudgedAnswer } from '../../loop/ask.ts'
import type { Cut } from '../../loop/fit-transcript.ts'
import type { Offer } from '../../loop/offer.ts'
import { outcomeOf } from '../../loop/judge.ts'
import type { Loop } from '../../loop/loop.ts'
import type { StepOf } from '../../loop/write-step.ts'
import { quotedName } from '../../names.ts'
import type { Move } from '../../../workflows/messages.ts'
import { lockWorkedRun } from '../lock-worked-run.ts'
import type { RunRecord, RunRef } from '../record.ts'
import { noAttempt, type Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import { askingTimeLeft } from '../time-left.ts'
import { append, type NewEvent } from '../timeline.ts'
import type { Attempt } from './attempt.ts'
import { changeOfModel, fallbackOf } from './fallback.ts'
import { fittedEvent } from './record-cut.ts'

/** What comes next, for a run whose row is locked; its record is read unless it is known. */
export type Next = (trx: Transaction, run: Run, known?: RunRecord) => Promise<Move>

/** A model's answer; if that is a summary, with the cut that leaves out the steps from now on. */
type RunAnswer = JudgedAnswer & { cut: Cut | undefined }

/** Records the answer of a step, with its charge and the calls that it asks for, and decides what comes next. */
export function createRecordStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  loop: Pick<Loop, 'writeStep'>
  next: Next
}) {
  const { database, clock, config, loop, next } = context

  async function write(
    trx: Transaction,
    run: Run,
    attempt: Attempt,
    answer: RunAnswer,
    offer: Pick<Offer, 'tools' | 'missing'>,
  ): Promise<RunRecord> {
    const now = clock.now()
    const { step } = attempt
    const mayAskUntil = new Date(now.getTime() + askingTimeLeft(run, config.budgets, now))
    const plan = { before: attempt.callsBefore, tools: offer.tools, now, mayAskUntil }
    const written = await loop.writeStep(trx, stepOf(trx, run, step), answer, {}, plan)
    const { counters, calls } = written
    const other = written.isModelGivenUp ? await fallbackOf(trx, run, attempt.model) : undefined
    const changes = {
      ...noAttempt,
      ...counters,
      ...answer.cut?.cuts,
      ...(answer.bytesPerToken !== undefined && { bytesPerToken: answer.bytesPerToken }),
      ...(other !== undefined && { fallbackSince: step + 1, ownModelWasOut: false, corrections: 0 }),
    }
    const data = {
      step,
      attempt: attempt.attempt,
      ...(offer.missing.length > 0 && { missingSites: offer.missing }),
      ...(answer.endWord !== undefined && { endWord: answer.endWord }),
    }
    const finished: NewEvent = { kind: 'step.finished', data }
    const cut = answer.cut ? [fittedEvent(step, answer.cut)] : []
    const change = changeOfModel({ step: step + 1, from: attempt.model, to: other, note: noteOn(answer) })
    await append(trx, run.id, now, [finished, ...eventsOf(written), ...change, ...cut], changes)
    const lastStep = { step, outcome: outcomeOf(answer) }
    return { run: Object.assign(run, changes), lastStep, calls: [...attempt.callsBefore, ...calls] }
  }

  return (ref: RunRef, attempt: Attempt, answer: RunAnswer, offer: Offer): Promise<Move> =>
    database.transaction(async (trx) => {
      const run = await lockWorkedRun(trx, ref, context)
      // Another attempt was faster, or the run was cancelled meanwhile: the record stands.
      if (run.steps !== attempt.step - 1 || hasEnded(run.status)) return next(trx, run)
      return next(trx, run, await write(trx, run, attempt, answer, offer))
    })
}

const stepOf = (trx: Transaction, run: Run, step: number): StepOf => {
  const { id: runId, ownerId, agentId } = run
  return {
    subjectId: runId,
    charged: { ownerId, runId, agentId, step },
    before: run,
    asks: { of: { runId, agentId }, asker: () => nameOf(trx, run) },
  }
}

export async function nameOf(trx: Transaction, { agentId, sequence }: Run): Promise<string> {
  const agent = await Agent.query(trx).findById(agentId).select('name').throwIfNotFound()
  return `Run ${sequence} of the agent ${quotedName(agent.name)}`
}

/** The events of calls that failed immediately, and of those that need an approval. */
const eventsOf = ({ calls, asked }: Awaited<ReturnType<Loop['writeStep']>>): NewEvent[] => [
  ...calls.filter(({ status }) => status === 'failed').map(failedEvent),
  ...asked.map(askedEvent),
]

const failedEvent = ({ id: callId }: { id: string }): NewEvent => ({
  kind: 'tool.finished',
  data: { callId, attempts: 0, status: 'failed', note: 'Nothing was sent to the site.' },
})

export const askedEvent = ({ id: approvalId, callId, expiresAt, formNumber }: Approval): NewEvent => ({
  kind: 'approval.requested',
  data: { callId, approvalId, expiresAt: expiresAt.toISOString(), ...(formNumber > 0 && { formNumber }) },
})

const noteOn = ({ verdict }: RunAnswer): string =>
  verdict?.outcome === 'refused' ? 'The model refused to answer.' : "The model's answers were unusable."
