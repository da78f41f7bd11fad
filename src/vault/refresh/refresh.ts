import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { afterCommit } from '../../database/after-commit.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../../database/database.ts'
import { regardless } from '../../database/while-permitted.ts'
import { newId } from '../../ids.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { page, type Page, type PageRequest } from '../../database/paging.ts'
import { evenIfStoodStill, unlessStoodStill } from '../../safe-fetch/standstill.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import { describeTool } from '../../sites/tool.ts'
import type { MarkNeedsReauth } from '../reauthorization.ts'
import { clientOfEntry, openCredential, sealCredential } from '../credential.ts'
import type { OAuthClient } from '../oauth/oauth-client.ts'
import type { Grant, TokenOutcome } from '../oauth/token-outcome.ts'
import { grantFields } from '../oauth/grant-fields.ts'
import { forgetOldAttempts, pastAttempts } from './refresh-history.ts'
import { contestMs, decideTurn, longestPauseMs, reasonInWords, type Turn } from './refresh-turn.ts'
import { VaultEntry } from '../vault-entry.ts'
import { VaultRefresh, type RefreshCause } from './vault-refresh.ts'

/** A live holder keeps extending its lease, so a dead holder's lease expires soon. */
const leaseMs = 10_000
const beatMs = 3_000
const pollMs = 100
/** How soon the turn of a process that stands still may be given away, in milliseconds. */
export const holderPatienceMs = leaseMs - beatMs + contestMs
/**
 * The pause after a refusal for a reason other than the token: the site may soon know the client again, or its proxy
 * may be changing.
 */
const refusedPauseSeconds = 30

/** The result of requesting newer tokens. `kept`: as a precaution, the current tokens stay in use. */
export type Renewal =
  | { kind: 'renewed'; entry: VaultEntry }
  | { kind: 'kept' | 'dead'; entry: VaultEntry }
  /** `retryAt`: when the site accepts another request, if it said so. */
  | { kind: 'unavailable'; message: string; retryAt: Date | null }
  | { kind: 'gone' }

/**
 * Refreshes the tokens of OAuth entries (docs/understand/credentials.md, "Refreshing"). A refresh token works once, and
 * many sites revoke the grant if it is reused. So each entry has one refresh at a time, across all processes. The
 * intent is recorded before the request, and the new tokens are stored before anything else. No lock is held across
 * HTTP.
 */
export function createRefresh(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  metrics: Pick<Metrics, 'refreshes'>
  sealing: Sealing
  oauthClient: OAuthClient
  markNeedsReauth: MarkNeedsReauth
}) {
  const { database, clock, config, logger, sealing, oauthClient, markNeedsReauth, metrics } = context
  const underWay = new Map<string, Promise<Renewal>>()
  const longestWaitMs = (config.sites.tokenTimeoutSeconds + 5) * 1000

  /** Takes the entry's turn, or returns the alternative. Decides under the entry's lock. */
  function take(entryId: string, seen: number, cause: RefreshCause): Promise<Turn> {
    return database.transaction(async (trx) => {
      const entry = await VaultEntry.query(trx).findById(entryId).forUpdate()
      if (!entry) return { kind: 'gone' }
      const past = await pastAttempts(trx, entry)
      const now = clock.now()
      const turn = decideTurn({ entry, past, seen, cause, now, refreshable: isRefreshable(entry) })
      if (turn.contest) await VaultRefresh.query(trx).findById(turn.contest.id).patch({ contestedAt: now })
      if (turn.abandon) {
        await closeAttempt(trx, turn.abandon.id, { outcome: 'abandoned', error: abandonedNote }, now)
        afterCommit(trx, () => metrics.refreshes.inc({ outcome: 'abandoned' }))
      }
      if (turn.kind === 'dead' && entry.status === 'connected') await markNeedsReauth(trx, entry, turn.reason)
      return turn.kind === 'mine' ? begin(trx, entry, cause, now) : turn
    })
  }

  const isRefreshable = (entry: Pick<VaultEntry, 'id' | 'authType' | 'credential'>): boolean =>
    entry.authType === 'oauth2' && openCredential(sealing, entry).refreshToken !== undefined

  async function begin(trx: Transaction, entry: VaultEntry, cause: RefreshCause, now: Date): Promise<Turn> {
    const id = newId()
    const { id: entryId, generation } = entry
    const leaseUntil = new Date(now.getTime() + leaseMs)
    await VaultRefresh.query(trx).insert({ id, entryId, generation, cause, startedAt: now, leaseUntil })
    return { kind: 'mine', entry, attemptId: id }
  }

  async function sendRefresh(entry: VaultEntry, attemptId: string): Promise<Renewal> {
    const beat = setInterval(() => void extend(attemptId), beatMs)
    try {
      const outcome = await ask(entry)
      // Only this process has these tokens, so it keeps trying to store them while it lives.
      const renewal = await retryWhileUnavailable(
        () => recordOutcome(entry, attemptId, outcome),
        new AbortController().signal,
      )
      if (renewal.kind === 'gone' && outcome.kind === 'granted') await revoke(entry, outcome.grant)
      return renewal
    } finally {
      clearInterval(beat)
    }
  }

  /** Revokes the new tokens of an entry that was deleted in the meantime. */
  async function revoke(entry: VaultEntry, { refreshToken, accessToken }: Grant): Promise<void> {
    const work = () => oauthClient.revoke(clientOfEntry(sealing, entry), refreshToken ?? accessToken)
    await evenIfStoodStill(work).catch((error: unknown) =>
      logger.warn({ err: error, entryId: entry.id }, 'failed to revoke an unused grant'),
    )
  }

  /** Clears a contest too: if the lease expires again, the holder gets its full time again. */
  const extend = (attemptId: string) =>
    VaultRefresh.query(database)
      .findById(attemptId)
      .whereNull('endedAt')
      .patch({ leaseUntil: new Date(clock.now().getTime() + leaseMs), contestedAt: null })
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to extend the lease for a token refresh'))

  function ask(entry: VaultEntry): Promise<TokenOutcome> {
    const { refreshToken = '' } = openCredential(sealing, entry)
    return oauthClient.refresh(clientOfEntry(sealing, entry), refreshToken)
  }

  function recordOutcome(seen: VaultEntry, attemptId: string, outcome: TokenOutcome): Promise<Renewal> {
    return database.transaction(async (trx) => {
      const entry = await VaultEntry.query(trx).findById(seen.id).forUpdate()
      if (!entry) return { kind: 'gone' }
      const now = clock.now()
      await closeAttempt(trx, attemptId, resultOf(outcome, now), now)
      afterCommit(trx, () => metrics.refreshes.inc({ outcome: countedAs(outcome) }))
      await forgetOldAttempts(trx, entry)
      // The owner has reconnected the site in the meantime. Those tokens are in use.
      if (entry.generation !== seen.generation) return { kind: 'renewed', entry }
      if (outcome.kind === 'granted') return { kind: 'renewed', entry: await store(trx, entry, outcome.grant, now) }
      return afterFailure(trx, entry, outcome)
    })
  }

  async function store(trx: Transaction, entry: VaultEntry, grant: Grant, now: Date) {
    // A site that sends no new refresh token still accepts the old one.
    const { refreshToken, clientSecret } = openCredential(sealing, entry)
    const tokens = { clientSecret, accessToken: grant.accessToken, refreshToken: grant.refreshToken ?? refreshToken }
    const asked = entry.foreignScopes
      ? { foreignScopes: entry.foreignScopes, isRefresh: true }
      : { scopes: entry.scopes ?? [], tools: entry.manifest.tools.map(describeTool), isRefresh: true }
    return entry.$query(trx).patchAndFetch({
      ...grantFields(grant, asked, now),
      credential: sealCredential(sealing, entry, tokens),
      ...(entry.status === 'connected' && { statusReason: null }),
      generation: entry.generation + 1,
      renewedAt: now,
      updatedAt: now,
    })
  }

  /** Stores the refresh token of an answer without a usable access token: the previous one is used up. */
  async function keepNext(trx: Transaction, entry: VaultEntry, refreshToken: string): Promise<void> {
    const credential = sealCredential(sealing, entry, { ...openCredential(sealing, entry), refreshToken })
    // The generation stays, because it counts the attempts: a site that never answers well is given up.
    await VaultEntry.query(trx).findById(entry.id).patch({ credential })
  }

  async function afterFailure(
    trx: Transaction,
    entry: VaultEntry,
    outcome: Exclude<TokenOutcome, { kind: 'granted' }>,
  ): Promise<Renewal> {
    if (outcome.kind === 'refused' && outcome.error === 'invalid_grant') {
      const reason = reasonInWords(outcome.message, await pastAttempts(trx, entry))
      if (entry.status === 'connected') await markNeedsReauth(trx, entry, reason)
      return { kind: 'dead', entry: await VaultEntry.query(trx).findById(entry.id).throwIfNotFound() }
    }
    const unusable = outcome.kind === 'ambiguous' && outcome.unusable
    if (unusable && unusable.refreshToken !== undefined) await keepNext(trx, entry, unusable.refreshToken)
    if ((outcome.kind === 'refused' || unusable) && entry.status === 'connected')
      await entry.$query(trx).patch({ statusReason: outcome.message, updatedAt: clock.now() })
    return { kind: 'unavailable', message: outcome.message, retryAt: retryAtOf(outcome, clock.now()) }
  }

  async function waitForTurn(entryId: string, seen: number, cause: RefreshCause): Promise<Renewal> {
    const giveUpAt = performance.now() + longestWaitMs
    for (;;) {
      const taken = performance.now()
      const turn = await take(entryId, seen, cause)
      // Another process gets the turn of one that stands still. A token that both send ends the grant at many sites.
      if (turn.kind === 'mine') return unlessStoodStill(taken, () => sendRefresh(turn.entry, turn.attemptId ?? ''))
      if (turn.kind !== 'busy') return turn
      if (performance.now() > giveUpAt)
        return { kind: 'unavailable', message: "The site's tokens are being refreshed.", retryAt: null }
      await delay(pollMs)
    }
  }

  function renew(entryId: string, seen: number, cause: RefreshCause): Promise<Renewal> {
    const key = `${entryId} ${seen} ${cause}`
    const started = underWay.get(key)
    if (started) return started
    // Other callers may wait for the result, and it must be stored.
    const renewal = regardless(() => waitForTurn(entryId, seen, cause)).finally(() => underWay.delete(key))
    underWay.set(key, renewal)
    return renewal
  }

  return {
    /**
     * Gets newer tokens than those of the caller's generation. Concurrent callers share one refresh. Never throws
     * because of the site.
     */
    renew,

    /** Whether the site issued a refresh token with the entry's credential. */
    isRefreshable,

    /** Waits for refreshes in progress. Aborting them would leave tokens in doubt. */
    async settled(): Promise<void> {
      await Promise.allSettled(underWay.values())
    },

    /**
     * Refreshes idle grants before their refresh tokens expire. The least recently tried come first, so that sites
     * which are down do not starve the others.
     */
    async keepAlive(stopping?: AbortSignal): Promise<void> {
      const before = new Date(clock.now().getTime() - config.oauth.keepAliveDays * 86_400_000)
      const lastTry = VaultRefresh.query(database)
        .select('startedAt')
        .whereColumn('entryId', 'vaultEntries.id')
        .orderBy('id', 'desc')
        .limit(1)
      const idle = await VaultEntry.query(database)
        .where({ authType: 'oauth2', status: 'connected' })
        .where('renewedAt', '<', before)
        .orderByRaw('(:lastTry) nulls first, renewed_at', { lastTry })
        .limit(20)
      for (const { id, generation } of idle) {
        if (stopping?.aborted) return
        await renew(id, generation, 'keep_alive').catch((error: unknown) =>
          logger.warn({ err: error, entryId: id }, 'failed to refresh an idle grant'),
        )
      }
    },

    history: (entryId: string, request: PageRequest): Promise<Page<VaultRefresh>> =>
      page(VaultRefresh.query(database).where({ entryId }), { list: 'refreshes', time: 'startedAt', ...request }),
  }
}

export type Refresh = ReturnType<typeof createRefresh>

const abandonedNote =
  'The process that sent the request ended before the response was recorded. The site may have consumed the token.'

function resultOf(outcome: TokenOutcome, now: Date) {
  if (outcome.kind === 'granted') {
    return { outcome: 'refreshed' as const, rotated: outcome.grant.refreshToken !== undefined }
  }
  return { outcome: outcome.kind, error: outcome.message, retryAt: retryAtOf(outcome, now) }
}

/** A site that does not know the platform refuses every refresh, so operators must learn of it. */
const countedAs = (outcome: TokenOutcome): string =>
  outcome.kind === 'refused' && outcome.error === 'invalid_client'
    ? 'invalid_client'
    : resultOf(outcome, new Date(0)).outcome

function retryAtOf(outcome: Exclude<TokenOutcome, { kind: 'granted' }>, now: Date): Date | null {
  const wanted = outcome.kind === 'refused' ? refusedPauseSeconds : outcome.retryAfter
  return wanted === undefined ? null : new Date(now.getTime() + Math.min(wanted * 1000, longestPauseMs))
}

async function closeAttempt(
  trx: Transaction,
  id: string,
  result: Partial<VaultRefresh> & Pick<VaultRefresh, 'outcome'>,
  now: Date,
): Promise<void> {
  await VaultRefresh.query(trx)
    .findById(id)
    .patch({ ...result, endedAt: now })
}
