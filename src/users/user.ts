import type { Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { assertThat } from '../errors.ts'
import { suspendedPayer } from '../billing/account-status.ts'
import { lockPayers } from '../owners/lock-payers.ts'
import { payerOf } from '../owners/payer.ts'
import { assertActive } from '../owners/suspension.ts'

/** One person who can log in (table `users`). */
export class User extends Row {
  static override tableName = 'users'
  declare id: string
  declare email: string
  /** When the owner verified the address. */
  declare emailVerifiedAt: Date | null
  /** null for users who sign in only through a provider. */
  declare passwordHash: string | null
  declare termsVersion: string | null
  declare termsAcceptedAt: Date | null
  /** Whether the user operates the platform. Only commands, and the link that they print, change it. */
  declare admin: boolean
  /** Since when the user is suspended, and why; null for active users. */
  declare suspendedAt: Date | null
  declare suspensionReason: string | null
  declare createdAt: Date
}

/**
 * Locks the user who pays for an owner. Tier limits are checked under this lock, so parallel requests cannot exceed one
 * together. INVALID_TOKEN if the owner was deleted meanwhile; PERMISSION_DENIED if the payer is suspended.
 */
export async function lockOwner(trx: Transaction, ownerId: string): Promise<void> {
  const [payer] = await lockPayers(trx, [ownerId])
  assertThat(payer, 'INVALID_TOKEN', { message: 'The account or workspace has been deleted.' })
  requireActive(payer)
}

/** Refuses a suspended user, and one whose owner's payer is suspended, without a lock: PERMISSION_DENIED. */
export async function assertActiveUnder(trx: Transaction, userId: string, ownerId: string): Promise<void> {
  const found = await User.query(trx)
    .whereIn('id', [userId, payerOf(ownerId)])
    .select('id', 'suspendedAt', 'suspensionReason')
  const user = found.find(({ id }) => id === userId)
  if (user) assertActive(user)
  for (const payer of found) requireActive(payer)
}

function requireActive({ suspendedAt }: Pick<User, 'suspendedAt'>): void {
  assertThat(suspendedAt === null, 'PERMISSION_DENIED', { message: suspendedPayer })
}
