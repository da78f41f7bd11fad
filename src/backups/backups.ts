import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { newId } from '../ids.ts'

/** A finished backup, or a failed attempt (table `backups`). */
export class Backup extends Row {
  static override tableName = 'backups'
  declare id: string
  /** The time of its data. */
  declare beganAt: Date
  declare endedAt: Date
  /** Null if another program made it. */
  declare bytes: number | null
  /** Why it failed; null if it succeeded. */
  declare error: string | null
}

/** Rows that are kept. */
const most = 1000

const longestError = 500

/** Records a backup, and forgets the oldest ones. */
export async function recordBackup(
  db: Database | Transaction,
  { error, ...backup }: Pick<Backup, 'beganAt' | 'endedAt' | 'bytes' | 'error'>,
): Promise<void> {
  await Backup.query(db).insert({ id: newId(), ...backup, error: error?.slice(0, longestError) ?? null })
  await db.raw(forgetStatement, { most })
}

const forgetStatement = `
  delete from backups where id in (select id from backups order by ended_at desc, id desc offset :most)`
