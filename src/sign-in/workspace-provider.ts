import { Row } from '../database/row.ts'

/**
 * A workspace's OpenID Connect provider (table `workspace_providers`). It signs in members who linked it, and only to
 * that workspace. Another issuer or client is another provider and replaces the row.
 */
export class WorkspaceProvider extends Row {
  static override tableName = 'workspace_providers'
  declare id: string
  declare workspaceId: string
  declare issuer: string
  declare clientId: string
  /** Sealed. */
  declare clientSecret: string
  declare createdAt: Date
}

/** The place that the sealed secret is bound to. */
export const secretPlace = (id: string) => ({ id, column: 'workspace_providers.client_secret' })
