import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { Member } from '../workspaces/member.ts'
import { Workspace } from '../workspaces/workspace.ts'
import type { Provider } from './provider.ts'
import { WorkspaceProvider } from './workspace-provider.ts'

/**
 * Refuses who is no member, and a provider that was removed or replaced (PERMISSION_DENIED). Both stay as they are until
 * the transaction ends: whoever ends them waits, and then ends what was opened or linked in the meantime.
 */
export async function assertPlace(
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
