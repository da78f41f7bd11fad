import { howToGetMore } from '../billing/allowances.ts'
import { raw } from 'objection'
import { asKeyScope, knownScopes } from '../apps/app-scopes.ts'
import { ConnectedApp } from '../apps/connected-app.ts'
import { mcpPath } from '../apps/paths.ts'
import type { Allowances, Allowed } from '../billing/allowances.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { assertActive } from '../owners/suspension.ts'
import type { AccessTokens } from './access-tokens.ts'
import { ApiKey } from './api-key.ts'
import { scopes, type Caller } from './caller.ts'
import { beingDeleted } from './account-deletion.ts'
import { closingCause, reachOf, reachOfKey, reachOfProvider, type Membership, type Reach } from '../owners/reach.ts'
import { Login } from './login.ts'
import { hashToken, isToken } from '../secrets/opaque-tokens.ts'
import type { User } from './user.ts'

/** Our tokens are shorter than 1 KiB; longer headers are refused without decoding. */
const headerBytes = 8 * 1024

/** Whether to record a use: at most once a minute, to avoid a write per request. */
const isToNote = ({ lastUsedAt }: { lastUsedAt: Date | null }, now: Date): boolean =>
  lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= 60_000

type Person = Pick<User, 'email' | 'termsVersion' | 'admin' | 'suspendedAt' | 'suspensionReason'> &
  Allowed & {
    /** When the account will be deleted; null if it will not. */
    deletionDueAt: Date | null
    memberships: StoredMembership[]
  }
type StoredMembership = Omit<Membership, 'closedBy'> & Allowed & { isClosing: boolean; isSuspended: boolean }

/** Turns an Authorization header into a caller with one database query. */
export function createAuthenticate(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'http'>
  allowances: Allowances
  accessTokens: AccessTokens
}) {
  const { database, clock, config, allowances, accessTokens } = context
  /** The part of a caller from the user's row. */
  function presentPerson(userId: string, person: Person) {
    const { email, tier, givenTier, limits, termsVersion, admin, memberships, deletionDueAt } = person
    assertActive(person)
    return {
      email,
      reach: reachOf(userId, memberships.map(toMembership)),
      allowance: allowances.of({ tier, givenTier, limits }),
      termsAccepted: termsVersion === config.auth.termsVersion,
      admin,
      isClosing: deletionDueAt !== null,
    }
  }

  const toMembership = ({ workspaceId, role, isClosing, isSuspended, ...allowed }: StoredMembership): Membership => ({
    workspaceId,
    role,
    closedBy: closingCause({ isClosing, isSuspended, hasTier: allowances.of(allowed).features.includes('workspaces') }),
  })

  /**
   * The caller. UNAUTHORIZED (no bearer token), INVALID_TOKEN, TOKEN_EXPIRED, TOKEN_REVOKED (docs/specification.md,
   * "Codes"). Access tokens and API keys (`sy_key_…`) are both bearer tokens (RFC 6750, 2.1). With `within` it only
   * reads, in that transaction. API keys are for both audiences, access tokens of logins for the API, and those of apps
   * (`sy_app_…`) for the MCP endpoint.
   */
  return async function authenticate(
    authorization: string | undefined,
    within?: Transaction,
    audience: 'api' | 'apps' = 'api',
  ): Promise<Caller> {
    assertThat(authorization !== undefined, 'UNAUTHORIZED')
    assertThat(Buffer.byteLength(authorization) <= headerBytes, 'INVALID_TOKEN')
    const token = /^Bearer +(\S.*)$/i.exec(authorization)?.[1]
    assertThat(token !== undefined, 'UNAUTHORIZED')
    if (token.startsWith('sy_key_')) return byApiKey(token, within)
    assertThat(token.startsWith('sy_app_') === (audience === 'apps'), 'INVALID_TOKEN', { message: otherAudience })
    return audience === 'apps' ? byApp(token, within) : byLogin(token, within)
  }

  async function byApp(token: string, trx?: Transaction): Promise<Caller> {
    assertThat(isToken('app', token), 'INVALID_TOKEN')
    const now = clock.now()
    const found = await ConnectedApp.query(trx ?? database)
      .join('appSignInRecords as records', 'records.appId', 'connectedApps.id')
      .join('users', 'users.id', 'connectedApps.userId')
      .leftJoin('accounts', 'accounts.ownerId', 'users.id')
      .where({ 'records.kind': 'AccessToken', 'records.keyHash': hashToken(token) })
      .select('connectedApps.*', 'records.payload', 'records.expiresAt as tokenExpiresAt', ...personal)
      .first()
      .castTo<(ConnectedApp & Person & { payload: string; tokenExpiresAt: Date }) | undefined>()
    assertThat(found, 'INVALID_TOKEN', { message: 'The app is not connected. Sign in again.' })
    assertThat(found.deletionDueAt === null, 'TOKEN_REVOKED', { message: beingDeleted })
    assertThat(found.tokenExpiresAt > now, 'TOKEN_EXPIRED')
    const { aud, scope = '' } = JSON.parse(found.payload) as { aud?: unknown; scope?: string }
    const isOurs = aud === new URL(mcpPath, config.http.baseUrl).href
    assertThat(isOurs, 'INVALID_TOKEN', { message: otherAudience })
    if (!trx && isToNote(found, now)) await ConnectedApp.query(database).findById(found.id).patch({ lastUsedAt: now })
    const { userId, workspaceId, id: appId } = found
    const person = presentPerson(userId, found)
    const reach = reachOfKey(person.reach, workspaceId ?? userId)
    assertThat(reach.places.size > 0, 'TOKEN_REVOKED')
    const granted = knownScopes(scope).map((one) => asKeyScope[one])
    return { userId, ...person, admin: false, reach, scopes: granted, via: 'app', appId }
  }

  async function byLogin(token: string, trx?: Transaction): Promise<Caller> {
    const { userId, loginId } = await accessTokens.verify(token)
    const found = await Login.query(trx ?? database)
      .join('users', 'users.id', 'logins.userId')
      .leftJoin('accounts', 'accounts.ownerId', 'users.id')
      .where({ 'logins.id': loginId, 'users.id': userId })
      .select('logins.id', 'logins.revokedAt', 'logins.lastUsedAt', 'logins.workspaceId', ...personal)
      .first()
      .castTo<(Login & Person) | undefined>()
    assertThat(found, 'INVALID_TOKEN')
    assertThat(found.revokedAt === null, 'TOKEN_REVOKED')
    const now = clock.now()
    const isOver = found.deletionDueAt !== null && found.deletionDueAt <= now
    assertThat(!isOver, 'TOKEN_REVOKED', { message: beingDeleted })
    if (!trx && isToNote(found, now)) await Login.query(database).findById(loginId).patch({ lastUsedAt: now })
    const caller = { userId, ...presentPerson(userId, found), scopes, via: 'login', loginId } as const
    return found.workspaceId === null ? caller : { ...caller, ...restricted(caller.reach, found.workspaceId) }
  }

  async function byApiKey(key: string, trx?: Transaction): Promise<Caller> {
    assertThat(isToken('key', key), 'INVALID_TOKEN')
    const found = await ApiKey.query(trx ?? database)
      .join('users', 'users.id', 'apiKeys.userId')
      .leftJoin('accounts', 'accounts.ownerId', 'users.id')
      .where({ 'apiKeys.keyHash': hashToken(key) })
      .select('apiKeys.*', ...personal)
      .first()
      .castTo<(ApiKey & Person) | undefined>()
    assertThat(found, 'INVALID_TOKEN', { message: 'This API key does not exist.' })
    assertThat(found.revokedAt === null, 'TOKEN_REVOKED', { message: 'This API key has been deleted.' })
    const rests = 'The account that created this API key is scheduled for deletion.'
    assertThat(found.deletionDueAt === null, 'TOKEN_REVOKED', { message: rests })
    const now = clock.now()
    const expired = found.expiresAt !== null && found.expiresAt <= now
    assertThat(!expired, 'TOKEN_EXPIRED', { message: 'This API key has expired. Create a new one.' })
    assertThat(found.exceedingSince === null, 'PERMISSION_DENIED', { message: resting })
    if (!trx && isToNote(found, now)) await ApiKey.query(database).findById(found.id).patch({ lastUsedAt: now })
    const { userId, id: apiKeyId } = found
    const person = presentPerson(userId, found)
    const reach = reachOfKey(person.reach, found.workspaceId ?? userId)
    return { userId, ...person, reach, scopes: found.scopes, via: 'api-key', apiKeyId }
  }
}

const otherAudience =
  'This token is for another part of the platform: tokens of apps are for the MCP server, and those of sign-in sessions for the API.'

const resting = `The account is over its API key limit, so its newest keys are disabled, including this one. Delete other keys. ${howToGetMore}`

/** Restricts a caller who signed in through a workspace's provider. TOKEN_REVOKED for former members. */
function restricted(whole: Reach, workspaceId: string): Pick<Caller, 'reach' | 'admin'> {
  const reach = reachOfProvider(whole, workspaceId)
  assertThat(reach.places.size > 0, 'TOKEN_REVOKED')
  return { reach, admin: false }
}

/** The user's columns that are read with a token. */
const personal = [
  'users.email',
  'users.termsVersion',
  'users.admin',
  'users.suspendedAt',
  'users.suspensionReason',
  'accounts.tier',
  'accounts.givenTier',
  'accounts.limits',
  raw('(select due_at from deletions where owner_id = users.id) as deletion_due_at'),
  raw(`
  coalesce((select json_agg(json_build_object('workspaceId', m.workspace_id, 'role', m.role, 'tier', payer.tier,
                                             'givenTier', payer.given_tier,
                                             'isSuspended', payer_user.suspended_at is not null,
                                             'isClosing', leaving.owner_id is not null))
              from members m join workspaces w on w.id = m.workspace_id and w.deleted_at is null
                   join users payer_user on payer_user.id = w.payer_id
                   left join accounts payer on payer.owner_id = w.payer_id
                   left join deletions leaving on leaving.owner_id = w.payer_id
             where m.user_id = users.id), '[]') as memberships`),
]
