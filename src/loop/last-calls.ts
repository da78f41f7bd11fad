import type { Model, QueryBuilder } from 'objection'
import { endAfter } from './repeated-calls.ts'

/**
 * The calls of a step, and at least the four before them, as many as the check for repetition needs, in their order. A run
 * may have a thousand steps.
 *
 * @param all all calls of a run or an answer
 */
export function lastCalls<M extends Model>(all: QueryBuilder<M>, step: number): QueryBuilder<M> {
  const latestFirst = ['step', 'position'].map((column) => ({ column, order: 'desc' as const }))
  const before = all
    .clone()
    .where('step', '<', step)
    .orderBy(latestFirst)
    .limit(endAfter - 1)
    .select('step')
  return all
    .whereRaw('step >= coalesce((select min(step) from (?) before), ?)', [before, step])
    .orderBy(['step', 'position'])
}
