import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** A user's second factor (table `second_factors`): the secret of an authenticator app. */
export class SecondFactor extends Row {
  static override tableName = 'second_factors'
  declare id: string
  declare userId: string
  declare createdAt: Date
  /** Since when logins require it; null until the owner has entered a code. */
  declare confirmedAt: Date | null
  declare blockedUntil: Date | null
  /** Wrong codes since the last right one or the last block. */
  declare failures: number
  /** The time step of the last accepted code. */
  declare lastStep: number | null
  /** Sealed. */
  declare secret: string
}

/** One unused recovery code (table `recovery_codes`). Only its hash is stored. */
export class RecoveryCode extends Row {
  static override tableName = 'recovery_codes'
  static override idColumn = ['factorId', 'codeHash']
  declare factorId: string
  declare codeHash: string
}

/** The factor that the user's logins require, if any. */
export const activeFactor = (db: Database, userId: string) =>
  SecondFactor.query(db).findOne({ userId }).whereNotNull('confirmedAt')

/**
 * Deletes an unconfirmed factor: someone with the old password may have started it. The caller has locked the user's
 * row.
 */
export async function dropUnconfirmed(trx: Database, userId: string): Promise<void> {
  await SecondFactor.query(trx).where({ userId }).whereNull('confirmedAt').delete()
}

/**
 * After a reset by mail or by the operator, resets the failure count: someone with the old password may have used up
 * the attempts. Only this and a right code reset it.
 */
export async function passwordWasReset(trx: Database, userId: string): Promise<void> {
  await dropUnconfirmed(trx, userId)
  await SecondFactor.query(trx).where({ userId }).patch({ failures: 0, blockedUntil: null })
}
