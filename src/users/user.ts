import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { assertThat } from '../errors.ts'
import { suspendedPayer } from '../billing/standing.ts'
import { lockPayers } from '../owners/lock-payers.ts'
import { payerOf } from '../owners/payer.ts'

/** One person who can log in (table `users`). */
export class User extends Row {
  static override tableName = 'users'
  declare id: string
  declare email: string
  /** When its owner has shown to read mails to it. */
  declare emailVerifiedAt: Date | null
  /** Null for whoever signs in by a provider alone. */
  declare passwordHash: string | null
  declare termsVersion: string | null
  declare termsAcceptedAt: Date | null
  /** Whether the user operates the platform; only a command changes it (`npm run admin -- make-admin`). */
  declare admin: boolean
  /** Since when an admin keeps the user out, and why; null for who may act. */
  declare suspendedAt: Date | null
  declare suspensionReason: string | null
  declare createdAt: Date
}

/**
 * Locks the user who pays for an owner. Tier limits are checked under this lock, so two requests cannot exceed one
 * together. INVALID_TOKEN if the owner was deleted in the meantime: nothing is made for one who is gone, nor,
 * PERMISSION_DENIED, for one who is suspended.
 */
export async function lockOwner(trx: Transaction, ownerId: string): Promise<void> {
  const [payer] = await lockPayers(trx, [ownerId])
  assertThat(payer, 'INVALID_TOKEN', { message: 'The account or workspace has been deleted.' })
  requireActive(payer)
}

/** Refuses an owner whose payer is suspended, without a lock: PERMISSION_DENIED. */
export async function assertPayerActive(trx: Transaction, ownerId: string): Promise<void> {
  const payer = await User.query(trx).findOne('id', payerOf(ownerId)).select('id', 'suspendedAt')
  if (payer) requireActive(payer)
}

function requireActive({ suspendedAt }: Pick<User, 'suspendedAt'>): void {
  assertThat(suspendedAt === null, 'PERMISSION_DENIED', { message: suspendedPayer })
}
