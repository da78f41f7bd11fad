import type { QueryBuilder } from 'objection'
import type { Database, Transaction } from '../database/database.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { endAfter } from './repeated-calls.ts'

/**
 * The calls of a step of a run or an answer, and at least the four before them, as many as the check for repetition needs,
 * in their order. A run may have a thousand steps.
 */
export function lastCalls(db: Database | Transaction, subjectId: string, step: number): QueryBuilder<ToolCall> {
  const all = ToolCall.query(db).where({ subjectId })
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
