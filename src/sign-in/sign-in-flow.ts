import { Row } from '../database/row.ts'
import type { ErrorCode } from '../errors.ts'

/**
 * Somebody's attempt to sign in at a provider, or to link it to an account (table `sign_in_flows`). The first browser that
 * continues to the provider owns it.
 */
export class SignInFlow extends Row {
  static override tableName = 'sign_in_flows'
  declare id: string
  /** Whose account the provider is linked to, and the login that asked for it; null if somebody signs in. */
  declare userId: string | null
  declare loginId: string | null
  /** The name of a provider of the installation, or the id of a workspace. */
  declare provider: string
  /** The workspace's provider as it was: one that has replaced it is another one. */
  declare workspaceProviderId: string | null
  /** SHA-256 of the secrets in the address, the state and the cookie. The secrets themselves are not stored. */
  declare ticketHash: string
  declare stateHash: string | null
  declare bindingHash: string | null
  /** The PKCE verifier, sealed; erased once the browser is back. */
  declare verifier: string | null
  /** The client's network, of which there may be so many attempts at a time. */
  declare network: string
  /** The path of this platform to open in the end. */
  declare returnTo: string | null
  declare createdAt: Date
  declare expiresAt: Date
  /** When the browser came back, whatever it brought. */
  declare endedAt: Date | null
  /** What came of that; null until it is known. */
  declare outcome: 'signed-in' | 'linked' | 'failed' | null
  declare code: ErrorCode | null
  declare message: string | null
}

export const verifierPlace = (id: string) => ({ id, column: 'sign_in_flows.verifier' })
