import { Row } from '../../database/row.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Manifest } from '../../sites/manifest/manifest.ts'
import type { Scope } from '../../sites/tool.ts'

/** `exchanging`: the browser is back, and the code is being exchanged. A flow never returns to `pending`. */
type FlowStatus = 'pending' | 'exchanging' | 'connected' | 'failed'

/**
 * An owner's attempt to connect a site by OAuth, or to authorize an entry again (table `oauth_flows`). The first
 * browser that goes on to the site owns it: from then on, the state sent to the site is tied to that browser's cookie.
 */
export class OAuthFlow extends Row {
  static override tableName = 'oauth_flows'
  static override jsonAttributes = ['manifest', 'scopes']
  declare id: string
  declare ownerId: string
  /** The user who began it. */
  declare userId: string
  declare entryId: string | null
  declare origin: string
  declare manifest: Manifest
  declare clientId: string
  declare scopes: Scope[]
  /** SHA-256 of the secrets in the address, the state and the cookie. The secrets themselves are not stored. */
  declare ticketHash: string
  declare stateHash: string | null
  declare bindingHash: string | null
  /** The PKCE verifier, sealed; erased when the flow ends. */
  declare verifier: string | null
  declare status: FlowStatus
  declare code: ErrorCode | null
  declare message: string | null
  declare createdAt: Date
  declare expiresAt: Date
  declare endedAt: Date | null
}
