import type { Transaction } from '../../database/database.ts'
import { Row } from '../../database/row.ts'
import { assertThat, type ErrorCode } from '../../errors.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { DialectName } from '../../sites/dialects/dialect-name.ts'
import type { Manifest, OAuthSite } from '../../sites/manifest.ts'
import type { Scope } from '../../sites/tool.ts'
import { openClientSecret, type ClientOfSite } from '../credential.ts'

/** `exchanging`: the browser is back, and the code is being exchanged. A flow never returns to `pending`. */
type FlowStatus = 'pending' | 'exchanging' | 'connected' | 'failed'

/**
 * An owner's attempt to connect a site by OAuth, or to authorize an entry again (table `oauth_flows`). The first
 * browser that continues to the site owns it: from then on, the state is tied to that browser's cookie.
 */
export class OAuthFlow extends Row {
  static override tableName = 'oauth_flows'
  static override jsonAttributes = ['manifest', 'scopes', 'foreignScopes']
  declare id: string
  declare ownerId: string
  declare userId: string
  declare entryId: string | null
  declare origin: string
  declare manifest: Manifest
  declare dialect: DialectName
  declare clientId: string
  /** Sealed like the verifier, and erased with it; null for a public client. */
  declare clientSecret: string | null
  declare scopes: Scope[]
  /** The scopes of a foreign authorization server, verbatim; null for a site with the platform's scopes. */
  declare foreignScopes: string[] | null
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

/** An ended flow needs none. */
export const withoutSecrets = { verifier: null, clientSecret: null } as const

export const verifierPlace = (flowId: string) => ({ id: flowId, column: 'oauth_flows.verifier' })
export const clientSecretPlace = (flowId: string) => ({ id: flowId, column: 'oauth_flows.client_secret' })

export const siteOfFlow = ({ dialect, manifest }: OAuthFlow): Pick<ClientOfSite, 'dialect' | 'auth'> => ({
  dialect,
  auth: manifest.auth as OAuthSite,
})

/** The client of a flow that has not ended. */
export function clientOfFlow(sealing: Sealing, flow: OAuthFlow): ClientOfSite {
  const { id, clientId, clientSecret: sealed } = flow
  const secret = openClientSecret(sealing, clientSecretPlace(id), sealed)
  return { ...siteOfFlow(flow), client: { id: clientId, secret } }
}

/**
 * Ends a user's attempts to connect sites, even if the browser is already back: another person may have started them.
 * The caller has locked the user's row.
 */
export async function endFlowsOf(trx: Transaction, userId: string, now: Date): Promise<void> {
  const message = 'The user who started connecting the site has been signed out. Start again.'
  const ended = { status: 'failed', code: 'PERMISSION_DENIED', message, ...withoutSecrets, endedAt: now } as const
  await OAuthFlow.query(trx).where({ userId }).whereIn('status', ['pending', 'exchanging']).patch(ended)
}

/** Refuses to store the result of a flow that was ended in the meantime: PERMISSION_DENIED. Locks the flow. */
export async function assertNotEnded(trx: Transaction, { id }: Pick<OAuthFlow, 'id'>): Promise<void> {
  const flow = await OAuthFlow.query(trx).findById(id).forUpdate()
  const message = 'This connection attempt has already ended. Start again.'
  assertThat(flow?.status === 'exchanging', 'PERMISSION_DENIED', { message })
}
