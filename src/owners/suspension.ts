import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'

/** Since when an admin suspends the user, and why; null for active users. */
interface Suspension {
  suspendedAt: Date | null
  suspensionReason: string | null
}

/** The message to a suspended user, with the operator's reason. */
const suspended = (reason: string | null): string =>
  `The platform operator has suspended this account. Nothing has been deleted.${reason === null ? '' : ` Reason: ${reason}`}`

/** Refuses a suspended user: PERMISSION_DENIED. Consumes and ends nothing, so the suspension can be lifted. */
export function assertActive({ suspendedAt, suspensionReason }: Suspension): void {
  assertThat(suspendedAt === null, 'PERMISSION_DENIED', { message: suspended(suspensionReason) })
}

/** The same check without a login or key: for mailed tokens, and for flows that the user has already started. */
export async function assertActiveUser(trx: Transaction, userId: string): Promise<void> {
  const found: Suspension | undefined = await trx('users')
    .where({ id: userId })
    .first('suspendedAt', 'suspensionReason')
  if (found) assertActive(found)
}
