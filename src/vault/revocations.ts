import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { openClientSecret, openCredential, sealClientSecret, type ClientOfSite } from './credential.ts'
import type { OAuthClient } from './oauth/oauth-client.ts'
import { Revocation } from './revocation.ts'
import type { VaultEntry } from './vault-entry.ts'

/** How long revocation is tried, in seconds: a day. After that, the account's owner revokes the grant at the site. */
const triedSeconds = 86_400
const longestPause = 3600
const batch = 10
/** Rounds in a row: one site may have to revoke the grants of a whole vault. */
const mostRounds = 20

const tokenPlace = (id: string) => ({ id, column: 'vault_revocations.token' })
const secretPlace = (id: string) => ({ id, column: 'vault_revocations.client_secret' })

/**
 * Revokes unneeded grants at their sites (RFC 7009). The removal's transaction notes the revocation, and the site's
 * answer deletes the note, so a crash loses none. A site may be asked twice (RFC 7009, 2.2).
 */
export function createRevocations(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  logger: Logger
  sealing: Sealing
  oauthClient: Pick<OAuthClient, 'revoke'>
}) {
  const { database, clock, config, logger, sealing, oauthClient } = context
  const leaseSeconds = config.sites.tokenTimeoutSeconds * 2 + 10

  /** Undefined for a site without a revocation endpoint, and for a credential whose key is gone. */
  function toRow(entry: VaultEntry): Partial<Revocation> | undefined {
    const { auth } = entry.manifest
    if (entry.authType !== 'oauth2' || auth.type !== 'oauth2' || !auth.revocation_url) return undefined
    const [id, createdAt] = [newId(), clock.now()]
    try {
      const { refreshToken, accessToken, clientSecret: secret } = openCredential(sealing, entry)
      const token = sealing.seal(refreshToken ?? accessToken, tokenPlace(id))
      const times = { createdAt, nextAt: createdAt, giveUpAt: later(createdAt, triedSeconds) }
      const clientSecret = sealClientSecret(sealing, secretPlace(id), secret)
      const client = { dialect: entry.dialect, clientId: entry.clientId ?? '', clientSecret }
      return { id, ...times, attempts: 0, ...client, token, auth }
    } catch (error) {
      logger.warn({ err: error, entryId: entry.id }, 'cannot revoke a grant at its site')
      return undefined
    }
  }

  /** Claims the due revocations. They become due again if this process is killed. */
  async function take(ids: readonly string[] | null): Promise<Revocation[]> {
    const now = clock.now()
    const bindings = { now, until: later(now, leaseSeconds), batch, ids }
    const { rows } = await database.raw<{ rows: { id: string }[] }>(takeStatement, bindings)
    return Revocation.query(database).findByIds(rows.map(({ id }) => id))
  }

  function siteOf({ id, dialect, auth, clientId, clientSecret: sealed }: Revocation): ClientOfSite {
    const secret = openClientSecret(sealing, secretPlace(id), sealed)
    return { dialect, auth, client: { id: clientId, secret } }
  }

  async function attempt(revocation: Revocation): Promise<void> {
    const { id, token, attempts, giveUpAt } = revocation
    try {
      await oauthClient.revoke(siteOf(revocation), sealing.open(token, tokenPlace(id)))
    } catch (error) {
      const now = clock.now()
      const isLast = now >= giveUpAt
      logger.warn({ err: error, revocationId: id, attempts, isLast }, 'failed to revoke a grant at its site')
      if (!isLast) {
        const nextAt = later(now, Math.min(15 * 2 ** (attempts - 1), longestPause))
        await Revocation.query(database).findById(id).patch({ nextAt })
        return
      }
    }
    await Revocation.query(database).deleteById(id)
  }

  /** Returns whether more may be due. */
  async function round(ids: readonly string[] | null): Promise<boolean> {
    const taken = await take(ids)
    await Promise.all(taken.map(attempt))
    return taken.length === batch
  }

  return {
    /** Notes the grants of entries in the transaction that deletes them. Returns the ids of the revocations. */
    async note(trx: Transaction, entries: readonly VaultEntry[]): Promise<string[]> {
      const rows = entries.flatMap((entry) => toRow(entry) ?? [])
      if (rows.length > 0) await Revocation.query(trx).insert(rows)
      return rows.map(({ id = '' }) => id)
    },

    /** Makes the due attempts, of these ids or of all. A failing site is retried for a day. */
    async makeAttempts(ids: readonly string[] | null = null, stopping?: AbortSignal): Promise<void> {
      if (ids?.length === 0) return
      for (let rounds = 0; rounds < mostRounds; rounds += 1) {
        if (stopping?.aborted || !(await round(ids))) return
      }
    },
  }
}

export type Revocations = ReturnType<typeof createRevocations>

const takeStatement = `
  update vault_revocations set next_at = :until, attempts = attempts + 1
   where id in (select id from vault_revocations
                 where next_at <= :now and (:ids::uuid[] is null or id = any(:ids::uuid[]))
                 order by next_at limit :batch for update skip locked)
  returning id`
