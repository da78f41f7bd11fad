import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { assertModels } from '../models/assert-models.ts'
import { paidWith } from '../owners/payer.ts'
import { newId } from '../ids.ts'
import { hashToken, newToken } from '../secrets/opaque-tokens.ts'
import { ApiKey } from '../users/api-key.ts'
import type { Caller } from '../users/caller.ts'
import { Login } from '../users/login.ts'
import { assertMember } from '../owners/assert-member.ts'
import { lockOwner } from '../users/user.ts'
import type { SiteChoice } from '../vault/site-choices.ts'
import { endOfSession, idleSince } from './lifetime.ts'
import type { createSessionSites } from './session-sites.ts'
import { Session, type OnDisconnect } from './session.ts'

export const mostLiving = 1000

export interface NewSession {
  sites: readonly SiteChoice[]
  model?: string | null | undefined
  fallbackModel?: string | null | undefined
  summarizes?: boolean | undefined
  title?: string | null | undefined
  /** Shortens the session's life. */
  ttlSeconds?: number | undefined
  onDisconnect?: OnDisconnect | undefined
}

/** A session and its token, which is shown only once. */
export type CreatedSession = Session & { token: string }

export function createCreateSession(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sessions'>
  models: { has(name: string): boolean; defaultModel: string }
  billing: Pick<Billing, 'account' | 'storedBytes'>
  sites: ReturnType<typeof createSessionSites>
}) {
  const { database, clock, config, models, sites, billing } = context

  const countLiving = (trx: Transaction, ownerId: string, now: Date) =>
    Session.query(trx)
      .whereIn('ownerId', paidWith(ownerId))
      .whereNull('endedAt')
      .where('expiresAt', '>', now)
      .where('usedAt', '>', idleSince(now, config.sessions))
      .resultSize()

  async function assertRoom(trx: Transaction, ownerId: string, now: Date): Promise<void> {
    const message = `You have reached the limit of ${mostLiving} active sessions. End some of them, or wait until they expire.`
    assertThat((await countLiving(trx, ownerId, now)) < mostLiving, 'FEATURE_LIMIT_REACHED', { message })
  }

  /**
   * Creates a session for the caller. It ends with the caller's API key. VALIDATION_ERROR (unknown sites, tools or
   * models, a lifetime that is too long), PERMISSION_DENIED (a named tool without a granted scope),
   * FEATURE_LIMIT_REACHED, TOKEN_REVOKED (the caller's login or key has ended in the meantime).
   */
  return async function create(caller: Caller, ownerId: string, wanted: NewSession): Promise<CreatedSession> {
    const { title = null, model = null, fallbackModel = null, summarizes = false } = wanted
    const { onDisconnect = 'cancel', ttlSeconds } = wanted
    const { userId, apiKeyId = null } = caller
    assertModels({ model, fallbackModel }, models)
    endOfSession(clock.now(), config.sessions, { ttlSeconds, keyExpiresAt: null })
    await sites.assertChoices(ownerId, wanted.sites)
    await billing.storedBytes.assertStorageLimit(ownerId, await billing.account(ownerId))
    const token = newToken('session')
    const own = {
      id: newId(),
      ownerId,
      userId: userId === ownerId ? null : userId,
      apiKeyId,
      tokenHash: hashToken(token),
      title,
      model,
      fallbackModel,
      summarizes,
      onDisconnect,
    }
    const { session, bytes } = await database.transaction(async (trx) => {
      await lockOwner(trx, ownerId)
      await assertMember(trx, ownerId, userId)
      const keyExpiresAt = await endOfCaller(trx, caller)
      const now = clock.now()
      await assertRoom(trx, ownerId, now)
      const expiresAt = endOfSession(now, config.sessions, { ttlSeconds, keyExpiresAt })
      const times = { createdAt: now, usedAt: now, expiresAt, endedAt: null }
      const made = await Session.query(trx).insert({ ...own, ...times, lastNumber: 0 })
      return { session: made, bytes: await sites.store(trx, own, wanted.sites) }
    })
    billing.storedBytes.noteOne(ownerId, bytes)
    return Object.assign(session, { token })
  }
}

/**
 * When the caller's key expires; null for a login and for a key without an end. Read under the owner's lock, which also
 * ends sessions, so a revoked key creates none.
 */
async function endOfCaller(trx: Transaction, { apiKeyId, loginId }: Caller): Promise<Date | null> {
  if (apiKeyId !== undefined) {
    const key = await ApiKey.query(trx).findById(apiKeyId).select('revokedAt', 'expiresAt')
    assertThat(key?.revokedAt === null, 'TOKEN_REVOKED', { message: 'This API key has been deleted.' })
    return key.expiresAt
  }
  const login = loginId === undefined ? undefined : await Login.query(trx).findById(loginId).select('revokedAt')
  assertThat(login?.revokedAt === null, 'TOKEN_REVOKED')
  return null
}
