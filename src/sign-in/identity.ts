import type { Database } from '../database/database.ts'
import { Row } from '../database/row.ts'
import { WorkspaceProvider } from './workspace-provider.ts'

/**
 * A user's identity at an OpenID Connect provider (table `identities`): issuer and subject, never an address. An
 * identity of a workspace's provider is valid only for that provider.
 */
export class Identity extends Row {
  static override tableName = 'identities'
  declare id: string
  declare userId: string
  /** null for a provider of the installation. */
  declare workspaceProviderId: string | null
  /** The name of an installation's provider, or the id of the workspace. */
  declare provider: string
  declare issuer: string
  declare subject: string
  declare linkedAt: Date
}

export async function unlinkFrom(db: Database, match: { workspaceId: string; userId: string }): Promise<void> {
  const providers = WorkspaceProvider.query(db).where({ workspaceId: match.workspaceId }).select('id')
  await Identity.query(db).where({ userId: match.userId }).whereIn('workspaceProviderId', providers).delete()
}
