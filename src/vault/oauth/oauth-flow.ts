import { Row } from '../../database/row.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Manifest } from '../../sites/manifest/manifest.ts'
import type { Scope } from '../../sites/tool.ts'

/** `exchanging`: the browser is back, and the code is on its way to the site. It never goes back to `pending`. */
type FlowStatus = 'pending' | 'exchanging' | 'connected' | 'failed'

/**
 * An owner's attempt to connect a site by OAuth, or to authorise an entry again (table `oauth_flows`). Whoever opens its
 * address first has it: the state that goes to the site and the cookie of the browser belong together from then on.
 */
export class OAuthFlow extends Row {
  static override tableName = 'oauth_flows'
  static override jsonAttributes = ['manifest', 'scopes']
  declare id: string
  declare ownerId: string
  declare entryId: string | null
  declare origin: string
  declare manifest: Manifest
  declare clientId: string
  declare scopes: Scope[]
  /** SHA-256 of the secrets, which are nowhere else: in the address, in the state, in the cookie. */
  declare ticketHash: string
  declare stateHash: string | null
  declare bindingHash: string | null
  /** Of PKCE; sealed, and gone when the flow has ended. */
  declare verifier: string | null
  declare status: FlowStatus
  declare code: ErrorCode | null
  declare message: string | null
  declare createdAt: Date
  declare expiresAt: Date
  declare endedAt: Date | null
}
