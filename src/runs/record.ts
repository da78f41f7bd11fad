import type { Database, Transaction } from '../database/database.ts'
import { rowOf } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import { lastCalls } from '../loop/last-calls.ts'
import { Step } from '../loop/step.ts'
import type { ToolCall } from '../tools/tool-call.ts'
import { Run, selectingRun, type RunFields } from './run.ts'

/**
 * The caller's epoch is outdated: the run was resumed under a later one, or is gone. Never retried, because the
 * execution with the later epoch continues.
 */
export class StaleEpochError extends Error {
  override readonly name = 'StaleEpochError'
}

/** The fields of a tool call that the rules read. */
export type CallFacts = Pick<ToolCall, (typeof facts)[number]>
const facts = ['id', 'step', 'name', 'tool', 'siteOrigin', 'arguments', 'status', 'waitCause', 'notBefore'] as const

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
  const { rows } = await lockStatement(trx, { runId: ref.runId })
  return currentRun(rows[0] && rowOf(Run, rows[0]), ref)
}

const lockStatement = statement<RunFields>(`select ${selectingRun} from runs r where r.id = :runId for update`)

/** The run, and the model that it asks: that of its agent, null for the default one, or the fallback since that failed. */
export async function readRun(db: Database, ref: RunRef): Promise<{ run: Run; model: string | null }> {
  const { rows } = await readStatement(db, { runId: ref.runId })
  if (!rows[0]) return { run: currentRun(undefined, ref), model: null }
  const { modelName: model, ...fields } = rows[0]
  return { run: currentRun(rowOf(Run, fields), ref), model }
}

const readStatement = statement<RunFields & { modelName: string | null }>(`
  select ${selectingRun}, case when r.fallback_since is null then p.model else p.fallback_model end as "modelName"
    from runs r
    left join lateral (select model, fallback_model from agent_prompts
                        where agent_id = r.agent_id and since_sequence <= r.sequence
                        order by since_sequence desc limit 1) p on true
   where r.id = :runId`)

/** The run if it still has the given epoch. Throws StaleEpochError. */
function currentRun(run: Run | undefined, { epoch }: RunRef): Run {
  if (run?.epoch === epoch) return run
  throw new StaleEpochError('the run has a later epoch')
}

/** Reads the record of a run whose row is locked. */
export async function readRecord(trx: Transaction, run: Run): Promise<RunRecord> {
  const { id: subjectId, steps } = run
  if (steps === 0) return { run, lastStep: undefined, calls: [] }
  const lastStep = await Step.query(trx).findById([subjectId, steps]).select('step', 'outcome')
  const calls = await lastCalls(trx, subjectId, steps).select(facts)
  return { run, lastStep, calls }
}
