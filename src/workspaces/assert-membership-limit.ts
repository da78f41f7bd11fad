import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { Member } from './member.ts'

/** The most workspaces that a user can belong to: each request reads them. */
const most = 100

/** Refuses one membership too many: FEATURE_LIMIT_REACHED. Call it with the user locked. */
export async function assertMembershipLimit(trx: Transaction, userId: string): Promise<void> {
  const count = await Member.query(trx).where({ userId }).resultSize()
  const message = `A user can be a member of at most ${most} workspaces. Leave one first.`
  assertThat(count < most, 'FEATURE_LIMIT_REACHED', { message })
}
