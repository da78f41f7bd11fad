import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** One replacement of the database by an older copy of itself (table `restores`). */
export class Restore extends Row {
  static override tableName = 'restores'
  declare id: string
  /** The time of the copy. What was committed between this and `restoredAt` is lost. */
  declare asOf: Date
  declare restoredAt: Date
  /** Agents that had unfinished runs, and these runs. */
  declare agents: number
  declare runs: number
}

/** Whether the database was restored at that time or later: what happened then may be unknown here. */
export async function wasRestoredSince(db: Database | Transaction, at: Date): Promise<boolean> {
  return (await Restore.query(db).where('restoredAt', '>=', at).limit(1)).length > 0
}
