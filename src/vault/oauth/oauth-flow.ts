import type { Transaction } from '../../database/database.ts'
import { Row } from '../../database/row.ts'
import { assertThat, type ErrorCode } from '../../errors.ts'
import type { Manifest } from '../../sites/manifest.ts'
import type { Scope } from '../../sites/tool.ts'

/** `exchanging`: the browser is back, and the code is being exchanged. A flow never returns to `pending`. */
type FlowStatus = 'pending' | 'exchanging' | 'connected' | 'failed'

/**
 * An owner's attempt to connect a site by OAuth, or to authorize an entry again (table `oauth_flows`). The first
 * browser that continues to the site owns it: from then on, the state is tied to that browser's cookie.
 */
export class OAuthFlow extends Row {
  static override tableName = 'oauth_flows'
  static override jsonAttributes = ['manifest', 'scopes']
  declare id: string
  declare ownerId: string
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
  /** The page of the console to open when the flow has ended; null for a page of its own. */
  declare returnTo: string | null
  declare status: FlowStatus
  declare code: ErrorCode | null
  declare message: string | null
  declare createdAt: Date
  declare expiresAt: Date
  declare endedAt: Date | null
}

/**
 * Ends a user's attempts to connect sites, even if the browser is already back: another person may have started them.
 * The caller has locked the user's row.
 */
export async function endFlowsOf(trx: Transaction, userId: string, now: Date): Promise<void> {
  const message = 'The user who started connecting the site has been signed out. Start again.'
  const ended = { status: 'failed', code: 'PERMISSION_DENIED', message, verifier: null, endedAt: now } as const
  await OAuthFlow.query(trx).where({ userId }).whereIn('status', ['pending', 'exchanging']).patch(ended)
}

/** Refuses to store the result of a flow that was ended in the meantime: PERMISSION_DENIED. Locks the flow. */
export async function assertNotEnded(trx: Transaction, { id }: Pick<OAuthFlow, 'id'>): Promise<void> {
  const flow = await OAuthFlow.query(trx).findById(id).forUpdate()
  const message = 'This connection attempt has already ended. Start again.'
  assertThat(flow?.status === 'exchanging', 'PERMISSION_DENIED', { message })
}
