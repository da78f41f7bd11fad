import { errors, type Adapter, type AdapterPayload } from 'oidc-provider'
import { recordDeeds } from '../audit/audit-entry.ts'
import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { isId } from '../ids.ts'
import { hashToken } from '../secrets/opaque-tokens.ts'
import { stepOf } from './app-deeds.ts'
import { ConnectedApp, endApps } from './connected-app.ts'
import { SignInRecord } from './sign-in-record.ts'

/** How long a registered client is kept that nobody signs in with, in seconds. */
const unusedClientSeconds = 86_400

/** The most codes and tokens of one kind that are kept for an app. The used ones show a replay. */
const mostKept = 100

const at = (kind: string, id: string) => ({ kind, keyHash: hashToken(id) })

/**
 * What the authorization server keeps, for the library: one row each. Every process reads the same rows, and a killed
 * process loses nothing that a client was told.
 */
export function createRecords(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  async function find(kind: string, id: string): Promise<AdapterPayload | undefined> {
    const row = await SignInRecord.query(database).findOne(at(kind, id)).where('expiresAt', '>', clock.now())
    if (!row) return undefined
    const payload = JSON.parse(row.payload) as AdapterPayload
    if (kind !== 'Client') payload.jti = id
    return row.consumedAt === null ? payload : { ...payload, consumed: secondsOf(row.consumedAt) }
  }

  async function upsert(kind: string, id: string, given: AdapterPayload, seconds?: number): Promise<void> {
    const { jti: _, ...payload } = given
    const createdAt = clock.now()
    const expiresAt = later(createdAt, seconds ?? unusedClientSeconds)
    const appId = payload.grantId ?? null
    const row = { ...at(kind, id), appId, createdAt, expiresAt, payload: JSON.stringify(payload) }
    await database.transaction(async (trx) => {
      if (appId !== null) await keepApp(trx, { appId, expiresAt, ...payload })
      await SignInRecord.query(trx).insert(row).onConflict(['kind', 'keyHash']).merge(['payload', 'expiresAt'])
      if (appId !== null) await trx.raw(forgetStatement, { appId, kind, mostKept })
    })
  }

  /** An app lives as long as its last token, and its registered client as long as the app. */
  async function keepApp(trx: Transaction, token: AdapterPayload & { appId: string; expiresAt: Date }): Promise<void> {
    const { appId, expiresAt, kind, gty } = token
    const app = await ConnectedApp.query(trx).findById(appId).forUpdate()
    if (!app) throw new errors.InvalidGrant('the app was disconnected')
    if (expiresAt > app.expiresAt) await ConnectedApp.query(trx).findById(appId).patch({ expiresAt })
    const client = SignInRecord.query(trx).where(at('Client', app.clientId))
    await client.where('expiresAt', '<', expiresAt).patch({ expiresAt })
    if (kind === 'AccessToken' && gty === 'authorization_code')
      await recordDeeds(trx, clock.now(), stepOf(app, 'signInApp'))
  }

  /** Only one use wins. A second one, however close, ends the app: one of the two is a thief's (RFC 9700, 4.14.2). */
  async function consume(kind: string, id: string): Promise<void> {
    const record = SignInRecord.query(database).where(at(kind, id))
    const won = await record.clone().whereNull('consumedAt').patch({ consumedAt: clock.now() })
    if (won === 1) return
    const used = await record.first()
    if (used?.appId) await end(used.appId)
    throw new errors.InvalidGrant('already used')
  }

  /** Ends an app whose code or refresh token was used twice, or whose client asks for it. */
  const end = (appId: string): Promise<void> =>
    database.transaction(async (trx) => {
      const app = isId(appId) ? await ConnectedApp.query(trx).findById(appId).forUpdate() : undefined
      if (!app) return
      await endApps(trx, { id: appId })
      await recordDeeds(trx, clock.now(), stepOf(app, 'endApp'))
    })

  return {
    /** The records of one kind. */
    adapterOf: (kind: string): Adapter => ({
      ...unused,
      find: (id) => find(kind, id),
      upsert: (id, payload, seconds) => upsert(kind, id, payload, seconds),
      consume: (id) => consume(kind, id),
      destroy: async (id) => void (await SignInRecord.query(database).where(at(kind, id)).delete()),
    }),

    end,

    /** Deletes what has expired. */
    async purge(): Promise<void> {
      const now = clock.now()
      await ConnectedApp.query(database).where('expiresAt', '<', now).delete()
      await SignInRecord.query(database).where('expiresAt', '<', now).delete()
    },
  }
}

export type Records = ReturnType<typeof createRecords>

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)

/**
 * Functions of an adapter for features that are off, and for parts of a grant: an app's codes and tokens go with its
 * row.
 */
export const unused = {
  findByUserCode: async () => {},
  findByUid: async () => {},
  consume: async () => {},
  revokeByGrantId: async () => {},
} satisfies Partial<Adapter>

const forgetStatement = `
  delete from app_sign_in_records
   where (kind, key_hash) in (select kind, key_hash from app_sign_in_records where app_id = :appId and kind = :kind
                               order by created_at desc offset :mostKept)`
