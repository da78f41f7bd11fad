import { Row } from '../database/row.ts'

/**
 * The OpenID Connect provider of a workspace (table `workspace_providers`). It signs members in who have linked it, and
 * for that workspace alone. Another issuer or client is another provider: its row is replaced.
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

/** Where the secret of a provider is sealed. */
export const secretPlace = (id: string) => ({ id, column: 'workspace_providers.client_secret' })
