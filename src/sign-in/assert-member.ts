import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { Member } from '../workspaces/member.ts'
import { Workspace } from '../workspaces/workspace.ts'
import type { Provider } from './provider.ts'
import { WorkspaceProvider } from './workspace-provider.ts'

/**
 * Refuses users who are not members, and providers that were removed or replaced (PERMISSION_DENIED). Locks both until
 * the transaction ends, so a removal waits, and then also ends what was opened or linked meanwhile.
 */
export async function assertProviderMember(
  trx: Transaction,
  { workspaceProviderId }: Provider,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<void> {
  const member = await Member.query(trx).findOne({ workspaceId, userId }).forShare()
  const provider = await WorkspaceProvider.query(trx).findOne({ id: workspaceProviderId, workspaceId }).forShare()
  const workspace = await Workspace.query(trx).findById(workspaceId).whereNull('deletedAt')
  const message =
    "You are not a member of this workspace, or the workspace's sign-in provider was changed during this sign-in."
  assertThat(member && provider && workspace, 'PERMISSION_DENIED', { message })
}
