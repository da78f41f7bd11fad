import type { Database, Transaction } from '../database/database.ts'
import { endAfter, type CallIdentity } from '../loop/repeated-calls.ts'
import { ChatToolCall } from '../tools/tool-call.ts'

/** The last calls of an answer before a step, in their order, as many as the check for repetition needs. */
export async function callsBefore(db: Database | Transaction, answerId: string, step: number): Promise<CallIdentity[]> {
  const latest = await ChatToolCall.query(db)
    .where({ answerId })
    .where('step', '<', step)
    .orderBy([
      { column: 'step', order: 'desc' },
      { column: 'position', order: 'desc' },
    ])
    .limit(endAfter - 1)
    .select('name', 'arguments')
  return latest.reverse()
}
