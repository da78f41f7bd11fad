import type { Transaction } from '../database/database.ts'
import { lastCalls } from '../loop/last-calls.ts'
import { Step } from '../loop/step.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { Run } from './run.ts'

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
  lastStep: Pick<Step, 'step' | 'outcome'> | undefined
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
  return currentRun(await Run.query(trx).findById(ref.runId).forUpdate(), ref)
}

/** The run if it still has the given epoch. Throws StaleEpochError. */
export function currentRun(run: Run | undefined, { epoch }: RunRef): Run {
  if (run?.epoch === epoch) return run
  throw new StaleEpochError('the run has a later epoch')
}

const facts = ['id', 'step', 'name', 'tool', 'siteOrigin', 'arguments', 'status', 'waitCause', 'notBefore'] as const

/** Reads the record of a run whose row is locked. */
export async function readRecord(trx: Transaction, run: Run): Promise<RunRecord> {
  const { id: subjectId, steps } = run
  const lastStep =
    steps === 0 ? undefined : await Step.query(trx).findById([subjectId, steps]).select('step', 'outcome')
  const calls = await lastCalls(ToolCall.query(trx).where({ subjectId }), steps).select(facts)
  return { run, lastStep, calls }
}
