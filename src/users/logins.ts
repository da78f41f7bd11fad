import { endApps } from '../apps/connected-app.ts'
import { recordDeeds, type Deed } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Deletion } from '../deletion/deletion.ts'
import { assertThat, CodedError, type ErrorCode } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { AccessTokens } from './access-tokens.ts'
import { requireLogin, type Caller } from './caller.ts'
import { Login } from './login.ts'
import type { RateLimits } from '../rate-limit.ts'
import { oneLine } from '../notifications/plain-text.ts'
import { endSessionsOf } from '../sessions/session.ts'
import { endFlowsOf } from '../vault/oauth/oauth-flow.ts'
import { hashToken, isToken, newToken } from '../secrets/opaque-tokens.ts'
import { RefreshToken } from './refresh-token.ts'
import { activeFactor } from './second-factor.ts'
import { assertActive } from '../owners/suspension.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { User } from './user.ts'

/** The tokens of a login or a refresh. `expiresIn` is the access token's lifetime in seconds. */
export interface TokenPair {
  loginId: string
  accessToken: string
  tokenType: 'Bearer'
  expiresIn: number
  refreshToken: string
}

/** The client that opens a login. */
export interface Client {
  address: string
  userAgent: string | undefined
}

/** A user whose password and code were checked. */
type ProvedUser = Pick<User, 'id' | 'passwordHash'> & { factorId: string | undefined }

type Opened = Pick<Login, 'id' | 'userId' | 'createdAt' | 'address' | 'userAgent'>

const day = 86_400_000
/** How many used refresh tokens of a login are kept, to detect reuse. */
const usedKept = 100
/** The most refresh tokens that one purge round deletes. */
const purgedAtOnce = 5000
const again = 'Sign in again.'
const wrong = 'The email address or password is wrong.'

/** Logins and their single-use refresh tokens (RFC 9700, 4.14.2: rotation; a replay ends the login). */
export function createLogins(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth'>
  logger: Logger
  accessTokens: AccessTokens
  tries: Pick<LoginAttempts, 'logIn'>
  rateLimits: Pick<RateLimits, 'change'>
}) {
  const { database, clock, config, logger, accessTokens, tries, rateLimits } = context

  /**
   * Opens a login. UNAUTHORIZED for an unknown address or a wrong password. After those checks, UNAUTHORIZED with a
   * detail at `code` for a missing or wrong code of a second factor. RATE_LIMITED after many failures. `ttlSeconds`
   * shortens the access token.
   */
  async function open(request: {
    email: string
    password: string
    code?: string | undefined
    ttlSeconds?: number | undefined
    from?: Client | undefined
  }): Promise<TokenPair> {
    const expiresIn = accessTokens.lifetime(request.ttlSeconds)
    const { user, factorId } = await tries.logIn(request, request.from?.address ?? '')
    await rateLimits.change(user.id)
    return openFor({ id: user.id, passwordHash: user.passwordHash, factorId }, expiresIn, request.from)
  }

  /** Opens a login after password and code were checked. UNAUTHORIZED if either has changed since. */
  async function openFor(user: ProvedUser, expiresIn: number, from?: Client): Promise<TokenPair> {
    const login = { ...newLogin(from), userId: user.id }
    const refreshToken = await database.transaction(async (trx) => {
      // Shared lock: a password change or a logout everywhere comes entirely before or after this login.
      const current = await User.query(trx).findById(user.id).forShare()
      assertThat(current?.passwordHash === user.passwordHash, 'UNAUTHORIZED', { message: again })
      assertActive(current)
      const factor = await activeFactor(trx, user.id)
      assertThat(factor === undefined || factor.id === user.factorId, 'UNAUTHORIZED', { message: again })
      await assertStays(trx, user.id, ['UNAUTHORIZED', wrong])
      await Login.query(trx).insert(login)
      await note(trx, login, { ownerId: user.id, action: 'login' })
      return issue(trx, login.id)
    })
    return pair(user.id, login.id, refreshToken, expiresIn)
  }

  /**
   * Opens a login for a user whom a provider signed in. The caller's transaction holds the locks that keep the
   * permission from ending. The tokens work from the commit on.
   */
  async function openThrough(
    trx: Transaction,
    by: Pick<Login, 'userId' | 'identityId' | 'workspaceId'>,
    from: Client,
  ): Promise<TokenPair> {
    // As in `openFor`: a logout everywhere comes entirely before or after this login.
    const user = await User.query(trx).findById(by.userId).forShare()
    assertThat(user, 'UNAUTHORIZED', { message: again })
    assertActive(user)
    await assertStays(trx, user.id, ['PERMISSION_DENIED', 'This account is being deleted.'])
    const login = { ...newLogin(from), ...by }
    await Login.query(trx).insert(login)
    await note(trx, login, { ownerId: by.workspaceId ?? user.id, action: 'finishSignIn' })
    return pair(user.id, login.id, await issue(trx, login.id), accessTokens.lifetime(undefined))
  }

  /** Refuses an account whose grace period is over, as if it did not exist. */
  async function assertStays(trx: Transaction, userId: string, [code, message]: [ErrorCode, string]): Promise<void> {
    const marked = await Deletion.query(trx).findById(userId).where('dueAt', '<=', clock.now())
    assertThat(!marked, code, { message })
  }

  /** Writes to the user's audit log, or to that of the login's workspace. */
  async function note(trx: Transaction, login: Opened, { ownerId, action }: Pick<Deed, 'ownerId' | 'action'>) {
    const { id, userId, createdAt, address, userAgent } = login
    const from = { address: address ?? undefined, userAgent: userAgent ?? undefined }
    const by = { userId, via: 'login' as const, viaId: id, ...from }
    await recordDeeds(trx, createdAt, { ownerId, action, subjectKind: 'login', subjectId: id, by })
  }

  function newLogin(from: Client | undefined) {
    const now = clock.now()
    const userAgent = from?.userAgent ? oneLine(from.userAgent, 200) : null
    return { id: newId(), createdAt: now, lastUsedAt: now, address: from?.address ?? null, userAgent }
  }

  /**
   * Exchanges a refresh token for a new pair. INVALID_TOKEN (unknown), TOKEN_EXPIRED, TOKEN_REVOKED (the login has
   * ended, or the token is reused, which ends the login: one of its two holders is a thief).
   */
  async function refresh(request: { refreshToken: string; ttlSeconds?: number | undefined }): Promise<TokenPair> {
    const expiresIn = accessTokens.lifetime(request.ttlSeconds)
    assertThat(isToken('refresh', request.refreshToken), 'INVALID_TOKEN', { message: 'This is not a refresh token.' })
    const outcome = await database.transaction((trx) => rotate(trx, hashToken(request.refreshToken)))
    // Thrown after the commit: a throw inside would roll back the revocation.
    if (outcome.reused) {
      logger.warn({ loginId: outcome.login.id, userId: outcome.login.userId }, 'refresh token reused')
      throw new CodedError('TOKEN_REVOKED', { message: `This refresh token has already been used. ${again}` })
    }
    return pair(outcome.login.userId, outcome.login.id, outcome.refreshToken, expiresIn)
  }

  async function rotate(trx: Transaction, tokenHash: string) {
    const { login, token } = await lock(trx, tokenHash)
    assertThat(login.revokedAt === null, 'TOKEN_REVOKED', { message: `You have been signed out. ${again}` })
    if (token.consumedAt !== null) {
      await revoke(trx, { id: login.id })
      return { reused: true as const, login }
    }
    const now = clock.now()
    assertActive(await User.query(trx).findById(login.userId).throwIfNotFound())
    assertThat(token.expiresAt > now, 'TOKEN_EXPIRED', { message: `The refresh token has expired. ${again}` })
    await RefreshToken.query(trx).findById(token.id).patch({ consumedAt: now })
    await forget(trx, login.id)
    return { reused: false as const, login, refreshToken: await issue(trx, login.id) }
  }

  /** Locks the login before it reads the token, so the second of two parallel uses sees the first. */
  async function lock(trx: Transaction, tokenHash: string) {
    const known = await RefreshToken.query(trx).findOne({ tokenHash })
    const login = known && (await Login.query(trx).findById(known.loginId).forUpdate())
    const token = login && (await RefreshToken.query(trx).findOne({ tokenHash }))
    assertThat(login && token, 'INVALID_TOKEN', { message: 'This refresh token does not exist.' })
    return { login, token }
  }

  /** Deletes expired used tokens, and all but the latest. A replay of a deleted one is refused, but ends nothing. */
  async function forget(trx: Transaction, loginId: string): Promise<void> {
    const used = RefreshToken.query(trx).where({ loginId }).whereNotNull('consumedAt')
    await used.clone().delete().where('expiresAt', '<', clock.now())
    const older = used.clone().select('id').orderBy('id', 'desc').offset(usedKept)
    await RefreshToken.query(trx).delete().whereIn('id', older)
  }

  async function issue(trx: Transaction, loginId: string): Promise<string> {
    const token = newToken('refresh')
    const createdAt = clock.now()
    const expiresAt = new Date(createdAt.getTime() + config.auth.refreshTokenDays * day)
    await RefreshToken.query(trx).insert({ id: newId(), loginId, tokenHash: hashToken(token), createdAt, expiresAt })
    return token
  }

  async function pair(userId: string, loginId: string, refreshToken: string, expiresIn: number): Promise<TokenPair> {
    const accessToken = await accessTokens.sign({ userId, loginId }, expiresIn)
    return { loginId, accessToken, tokenType: 'Bearer', expiresIn, refreshToken }
  }

  /** Ends the caller's login. */
  const end = async (caller: Caller): Promise<void> => revoke(database, { id: requireLogin(caller) })

  /** Ends all logins, sessions and connected apps of the caller. API keys stay valid. */
  async function endAll(caller: Caller): Promise<void> {
    requireLogin(caller)
    await database.transaction(async (trx) => {
      // Waits for logins that are opening (they hold a shared lock), so none is missed.
      await User.query(trx).findById(caller.userId).select('id').forNoKeyUpdate()
      await endEvery(trx, caller.userId)
    })
  }

  /** Ends all logins and sessions of a user. The caller has locked the user's row. */
  async function endEvery(trx: Transaction, userId: string): Promise<void> {
    await revoke(trx, { userId })
    await endOpened(trx, userId)
  }

  /** Ends a user's other logins, and all sessions. */
  async function endOthers(trx: Transaction, userId: string, loginId: string): Promise<void> {
    await revoke(trx, { userId }, loginId)
    await endOpened(trx, userId)
  }

  /** Ends what logins have opened. */
  async function endOpened(trx: Transaction, userId: string): Promise<void> {
    const now = clock.now()
    await endSessionsOf(trx, userId, now)
    await endFlowsOf(trx, userId, now)
    await endApps(trx, { userId })
  }

  /** Ends the matching logins except `exceptId`. From the commit on, their access tokens fail with TOKEN_REVOKED. */
  async function revoke(trx: Database, match: { id: string } | { userId: string }, exceptId?: string): Promise<void> {
    const open = Login.query(trx).patch({ revokedAt: clock.now() }).where(match).whereNull('revokedAt')
    await (exceptId === undefined ? open : open.whereNot({ id: exceptId }))
  }

  /** Deletes logins whose refresh tokens have all expired, some at a time: they can no longer be used. */
  async function purge(): Promise<void> {
    const before = new Date(clock.now().getTime() - day)
    await database.raw(purgeStatement, { before, most: purgedAtOnce })
  }

  return { open, openThrough, refresh, end, endAll, endEvery, endOthers, purge }
}

export type Logins = ReturnType<typeof createLogins>

/** A login always has an unused token, unless that has expired. */
const purgeStatement = `
  with over as (
    delete from refresh_tokens
     where id in (select id from refresh_tokens where expires_at < :before order by expires_at limit :most)
    returning id, login_id)
  delete from logins l
   where l.id in (select login_id from over)
     and not exists (select from refresh_tokens t where t.login_id = l.id and t.id not in (select id from over))`
