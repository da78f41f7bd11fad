import type { AgentTool } from '../../agents/agent-sites.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { JudgedAnswer } from '../../loop/ask.ts'
import type { Cut } from '../../loop/fit-transcript.ts'
import type { Offer } from '../../loop/offer.ts'
import { isGivenUp } from '../../loop/judge-answer.ts'
import type { Loop } from '../../loop/loop.ts'
import { Step } from '../../loop/step.ts'
import { stepRow } from '../../loop/write-step.ts'
import type { Move } from '../../../workflows/messages.ts'
import { lockRun, type RunRecord, type RunRef } from '../record.ts'
import { noAttempt, type Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import { askingTimeLeft } from '../time-left.ts'
import { append, type NewEvent } from '../timeline.ts'
import type { Attempt } from './attempt.ts'
import { changeOfModel, fallbackOf } from './fallback.ts'
import { fittedEvent } from './record-cut.ts'
import { writeCalls } from './write-calls.ts'

/** What comes next, for a run whose row is locked; its record is read unless it is known. */
export type Next = (trx: Transaction, run: Run, known?: RunRecord) => Promise<Move>

/** A model's answer; if that is a summary, with the cut that leaves out the steps from now on. */
type RunAnswer = JudgedAnswer & { cut: Cut | undefined }

/** Records the answer of a step, with its charge and the calls that it asks for, and decides what comes next. */
export function createWriteStep(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  loop: Pick<Loop, 'charge'>
  approvals: Pick<Approvals, 'request'>
  next: Next
}) {
  const { database, clock, config, loop, approvals, next } = context

  async function write(
    trx: Transaction,
    run: Run,
    attempt: Attempt,
    answer: RunAnswer,
    offer: Pick<Offer<AgentTool>, 'tools' | 'missing'>,
  ): Promise<RunRecord> {
    const now = clock.now()
    const { step } = attempt
    const { verdict, output } = answer
    const { ownerId, id: runId, agentId } = run
    const { credits, counters: charged } = await loop.charge(trx, { ownerId, runId, agentId, step }, run, answer)
    const outcome = outcomeOf(answer)
    const row = stepRow(answer, { step, outcome, remark: verdict?.remark ?? null, credits, recordedAt: now })
    await Step.query(trx).insert({ ...row, subjectId: runId, output })
    const mayAskUntil = new Date(now.getTime() + askingTimeLeft(run, config.budgets, now))
    const plan = { step, before: attempt.callsBefore, calls: answer.calls, tools: offer.tools, now, mayAskUntil }
    const { calls, events } = await writeCalls(trx, approvals, run, plan)
    const counters = { ...charged, ...countersAfter(run, answer) }
    const mayChange = verdict && isGivenUp(verdict.outcome, counters.corrections ?? 0)
    const other = mayChange ? await fallbackOf(trx, run, attempt.model) : undefined
    const changes = {
      ...noAttempt,
      ...counters,
      steps: step,
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
    await append(trx, run.id, now, [finished, ...events, ...change, ...cut], changes)
    const lastStep = { step, outcome }
    return { run: Object.assign(run, changes), lastStep, calls: [...attempt.callsBefore, ...calls] }
  }

  return (ref: RunRef, attempt: Attempt, answer: RunAnswer, offer: Offer<AgentTool>): Promise<Move> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Another attempt was faster, or the run was cancelled meanwhile: the record stands.
      if (run.steps !== attempt.step - 1 || hasEnded(run.status)) return next(trx, run)
      return next(trx, run, await write(trx, run, attempt, answer, offer))
    })
}

const noteOn = ({ verdict }: RunAnswer): string =>
  verdict?.outcome === 'refused' ? 'The model refused to answer.' : "The model's answers were unusable."

const countersAfter = (run: Run, { verdict, calls }: RunAnswer) => ({
  toolCalls: run.toolCalls + calls.length,
  ...(verdict ? { corrections: (run.corrections ?? 0) + 1 } : run.corrections && { corrections: 0 }),
})

const outcomeOf = ({ cut, verdict }: RunAnswer): Step['outcome'] => (cut ? 'summary' : (verdict?.outcome ?? null))
