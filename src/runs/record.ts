import type { Transaction } from '../database/database.ts'
import { rowOf } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import { lastCalls } from '../loop/last-calls.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { RunStep } from './run-step.ts'
import { Run, selectingRun, type RunFields } from './run.ts'

/**
 * The caller's epoch is outdated: the run was resumed under a later one, or is gone. Never retried, because the
 * execution with the later epoch continues.
 */
export class StaleEpochError extends Error {
  override readonly name = 'StaleEpochError'
}

/** The fields of a tool call that the rules read. */
export type CallFacts = Pick<
  ToolCall,
  'id' | 'step' | 'name' | 'tool' | 'siteOrigin' | 'arguments' | 'status' | 'waitCause' | 'notBefore'
>

/** Everything that decides a run's next move. */
export interface RunRecord {
  run: Run
  lastStep: Pick<RunStep, 'step' | 'outcome'> | undefined
  /** Calls of the last step and at least the four before them, in the order of the model's requests. */
  calls: CallFacts[]
}

/** A run and the caller's epoch. */
export interface RunRef {
  runId: string
  epoch: number
}

/** Locks the run's row for a write under the given epoch. Throws StaleEpochError. */
export async function lockRun(trx: Transaction, ref: RunRef): Promise<Run> {
  const { rows } = await lockStatement(trx, { runId: ref.runId })
  return currentRun(rows[0] && rowOf(Run, rows[0]), ref)
}

const lockStatement = statement<RunFields>(`select ${selectingRun} from runs r where r.id = :runId for update`)

/** The run if it still has the given epoch. Throws StaleEpochError. */
export function currentRun(run: Run | undefined, { epoch }: RunRef): Run {
  if (run?.epoch === epoch) return run
  throw new StaleEpochError('the run has a later epoch')
}

const facts = ['id', 'step', 'name', 'tool', 'siteOrigin', 'arguments', 'status', 'waitCause', 'notBefore'] as const

/** Reads the record of a run whose row is locked. */
export async function readRecord(trx: Transaction, run: Run): Promise<RunRecord> {
  const { id: runId, steps } = run
  if (steps === 0) return { run, lastStep: undefined, calls: [] }
  const lastStep = await RunStep.query(trx).findById([runId, steps]).select('step', 'outcome')
  const calls = await lastCalls(ToolCall.query(trx).where({ runId }), steps).select(facts)
  return { run, lastStep, calls }
}
