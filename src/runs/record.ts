import type { Database, Transaction } from '../database/database.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { RunStep } from './run-step.ts'
import { Run, runFacts } from './run.ts'

/**
 * Somebody acts for a run who may not any more: the run was taken up again under a later epoch, or it is gone. Never
 * retried; the one who holds the later epoch goes on.
 */
export class StaleEpochError extends Error {
  override readonly name = 'StaleEpochError'
}

/** What of a tool call the rules look at. */
export type CallFacts = Pick<
  ToolCall,
  'id' | 'step' | 'name' | 'tool' | 'siteOrigin' | 'arguments' | 'status' | 'waitCause' | 'notBefore'
>

/** All that decides what a run does next. */
export interface RunRecord {
  run: Run
  lastStep: Pick<RunStep, 'step' | 'finish'> | undefined
  /** Every call of the run in the order in which they were asked for. */
  calls: CallFacts[]
}

/** A run and the epoch that the caller acts under. */
export interface RunRef {
  runId: string
  epoch: number
}

/** Locks the run's row for a write under the given epoch. Throws StaleEpochError. */
export async function lockRun(trx: Transaction, { runId, epoch }: RunRef): Promise<Run> {
  const run = await Run.query(trx).findById(runId).select(runFacts).forUpdate()
  return current(run, epoch)
}

function current(run: Run | undefined, epoch: number): Run {
  if (run?.epoch === epoch) return run
  throw new StaleEpochError('the run is acted for under a later epoch')
}

/** Reads what decides about the run's next move. Throws StaleEpochError. */
export async function readRecord(database: Database | Transaction, { runId, epoch }: RunRef): Promise<RunRecord> {
  const run = current(await Run.query(database).findById(runId).select(runFacts), epoch)
  const lastStep = run.steps === 0 ? undefined : await RunStep.query(database).findById([runId, run.steps])
  const calls = await ToolCall.query(database)
    .where({ runId })
    .select('id', 'step', 'name', 'tool', 'siteOrigin', 'arguments', 'status', 'waitCause', 'notBefore')
    .orderBy(['step', 'position'])
  return { run, lastStep, calls }
}
