import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** A user's second factor (table `second_factors`): the secret of an authenticator app. */
export class SecondFactor extends Row {
  static override tableName = 'second_factors'
  declare id: string
  declare userId: string
  declare createdAt: Date
  /** Since when logins need it; null until its owner has shown a code. */
  declare confirmedAt: Date | null
  declare blockedUntil: Date | null
  /** Wrong codes since the last right one, or since the last block. */
  declare failures: number
  /** The time step of the last code that was accepted. */
  declare lastStep: number | null
  /** Sealed. */
  declare secret: string
}

/** One unused recovery code (table `recovery_codes`); only its hash is stored. */
export class RecoveryCode extends Row {
  static override tableName = 'recovery_codes'
  static override idColumn = ['factorId', 'codeHash']
  declare factorId: string
  declare codeHash: string
}

/** The factor that a user's logins need, if there is one. */
export const activeFactor = (db: Database, userId: string) =>
  SecondFactor.query(db).findOne({ userId }).whereNotNull('confirmedAt')

/** Whoever knew the former password may have begun to set a factor up. The caller has locked the user's row. */
export async function dropUnconfirmed(trx: Database, userId: string): Promise<void> {
  await SecondFactor.query(trx).where({ userId }).whereNull('confirmedAt').delete()
}

/**
 * A password that was reset by mail, or by the operator: whoever knew the former one may have used up the attempts, too.
 * Only this and a right code end their count.
 */
export async function passwordWasReset(trx: Database, userId: string): Promise<void> {
  await dropUnconfirmed(trx, userId)
  await SecondFactor.query(trx).where({ userId }).patch({ failures: 0, blockedUntil: null })
}
