import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'

/** Since when an admin keeps a user out, and why; null for who may act. */
interface Suspension {
  suspendedAt: Date | null
  suspensionReason: string | null
}

/** What a suspended user reads, with what the operator has said. */
const suspended = (reason: string | null): string =>
  `The operator of this platform has suspended this account. Nothing has been deleted.${reason === null ? '' : ` Reason: ${reason}`}`

/** Refuses a user whom an admin keeps out: PERMISSION_DENIED. Nothing is used up or ended, so it can be lifted. */
export function assertActive({ suspendedAt, suspensionReason }: Suspension): void {
  assertThat(suspendedAt === null, 'PERMISSION_DENIED', { message: suspended(suspensionReason) })
}

/** The same where no login or key says who acts: for mailed tokens, and for what a user has begun before. */
export async function assertActiveUser(trx: Transaction, userId: string): Promise<void> {
  const found: Suspension | undefined = await trx('users')
    .where({ id: userId })
    .first('suspendedAt', 'suspensionReason')
  if (found) assertActive(found)
}
