import { Row } from '../database/row.ts'
import type { ErrorCode } from '../errors.ts'

/**
 * An attempt to sign in through a provider or to link it to an account (table `sign_in_flows`). The first browser that
 * continues to the provider owns it.
 */
export class SignInFlow extends Row {
  static override tableName = 'sign_in_flows'
  declare id: string
  /** The account to link and the login that started it; null for a sign-in. */
  declare userId: string | null
  declare loginId: string | null
  /** The name of an installation's provider, or a workspace's id. */
  declare provider: string
  /** The id of the workspace's provider at the start; a replacement has another id. */
  declare workspaceProviderId: string | null
  /** SHA-256 of the secrets in the URL, the state and the cookie, which are not stored. */
  declare ticketHash: string
  declare stateHash: string | null
  declare bindingHash: string | null
  /** The PKCE verifier, sealed; erased once the browser returns. */
  declare verifier: string | null
  /** The client's network; each has a limit of pending flows. */
  declare network: string
  /** The platform's path to open at the end. */
  declare returnTo: string | null
  declare createdAt: Date
  declare expiresAt: Date
  /** When the browser returned, with any result. */
  declare endedAt: Date | null
  /** The result; null until it is known. */
  declare outcome: 'signed-in' | 'linked' | 'failed' | null
  declare code: ErrorCode | null
  declare message: string | null
}

export const verifierPlace = (id: string) => ({ id, column: 'sign_in_flows.verifier' })
