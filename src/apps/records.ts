import { errors, type Adapter, type AdapterPayload } from 'oidc-provider'
import { recordDeeds } from '../audit/audit-entry.ts'
import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { isId } from '../ids.ts'
import { hashToken } from '../secrets/opaque-tokens.ts'
import { stepOf } from './app-deeds.ts'
import { ConnectedApp, endApps } from './connected-app.ts'
import { isReplay } from './replay.ts'
import { SignInRecord } from './sign-in-record.ts'

/** How long a registered client is kept that nobody signs in with, in seconds. */
const unusedClientSeconds = 86_400

/** The most codes and tokens of one kind that are kept for an app. The used ones show a replay. */
const mostKept = 100

/** How long the browser has to return with the answer, in seconds. */
const answeredSeconds = 60

/** What is purged, and the most rows of one statement. An app takes its few hundred records with it. */
const purged = [
  ['connected_apps', 'id', 100],
  ['app_sign_in_records', 'kind, key_hash', 5000],
] as const

const purgeStatement = (table: string, key: string): string => `
  delete from ${table} where (${key}) in (
    select ${key} from ${table} where expires_at < :now order by expires_at limit :most)`

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
    return kind === 'Client' ? payload : { ...payload, jti: id }
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

  /** Uses a code or a refresh token. A replay ends the app: one of the two holders is a thief (RFC 9700, 4.14.2). */
  async function consume(kind: string, id: string): Promise<void> {
    const isUsed = await database.transaction(async (trx) => {
      const app = await appOf(trx, kind, id)
      const kept = app ? await SignInRecord.query(trx).where({ appId: app.id, kind }) : []
      const token = kept.find(({ keyHash }) => keyHash === hashToken(id))
      if (!app || !token) return false
      const isRefused = isReplay(token, kept)
      if (isRefused) await endWithStep(trx, app, reasons[kind])
      else await SignInRecord.query(trx).where(at(kind, id)).whereNull('consumedAt').patch({ consumedAt: clock.now() })
      return !isRefused
    })
    // Thrown after the commit: a throw inside would undo the end of the app.
    if (!isUsed) throw new errors.InvalidGrant('already used')
  }

  /** The app of a code or a token, locked, so the second of two parallel uses sees the first. */
  async function appOf(trx: Transaction, kind: string, id: string): Promise<ConnectedApp | undefined> {
    const record = await SignInRecord.query(trx).findOne(at(kind, id))
    return record?.appId ? ConnectedApp.query(trx).findById(record.appId).forUpdate() : undefined
  }

  async function endWithStep(trx: Transaction, app: ConnectedApp, reason: string | undefined): Promise<void> {
    await endApps(trx, { id: app.id })
    await recordDeeds(trx, clock.now(), stepOf(app, 'endApp', { reason }))
  }

  return {
    /** The records of one kind. */
    adapterOf: (kind: string): Adapter => ({
      ...unused,
      find: (id) => find(kind, id),
      upsert: (id, payload, seconds) => upsert(kind, id, payload, seconds),
      consume: (id) => consume(kind, id),
      async destroy(id) {
        // A killed process may have sent no code, so the browser may return with an answer again until it expires.
        if (kind !== 'Interaction') await SignInRecord.query(database).where(at(kind, id)).delete()
      },
    }),

    /** Ends an app whose client asks for it. */
    end: (appId: string): Promise<void> =>
      database.transaction(async (trx) => {
        const app = isId(appId) ? await ConnectedApp.query(trx).findById(appId).forUpdate() : undefined
        if (app) await endWithStep(trx, app, 'The app asked for it.')
      }),

    /**
     * Stores a person's answer to a request, once, in the transaction that connects the app. Returns the address where
     * the browser goes on; undefined if the request is answered or over.
     */
    async answer(trx: Transaction, requestId: string, result: object): Promise<string | undefined> {
      const request = SignInRecord.query(trx).where(at('Interaction', requestId))
      const row = await request.clone().where('expiresAt', '>', clock.now()).forUpdate().first()
      const payload = JSON.parse(row?.payload ?? '{}') as AdapterPayload
      if (payload.returnTo === undefined || payload.result !== undefined) return undefined
      const expiresAt = later(clock.now(), answeredSeconds)
      await request.clone().patch({ payload: JSON.stringify({ ...payload, result }), expiresAt })
      return payload.returnTo
    },

    /** Records for the owner that the authorization server refused tokens for a code or a refresh token. */
    noteFailure: (kind: 'AuthorizationCode' | 'RefreshToken', id: string, error: string): Promise<void> =>
      database.transaction(async (trx) => {
        const app = await appOf(trx, kind, id)
        if (app) await recordDeeds(trx, clock.now(), stepOf(app, 'failApp', { error }))
      }),

    /** Deletes what has expired, some rows at a time. */
    async purge(): Promise<void> {
      for (const [table, key, most] of purged)
        while (
          (await database.raw<{ rowCount: number }>(purgeStatement(table, key), { now: clock.now(), most }))
            .rowCount === most
        );
    },
  }
}

export type Records = ReturnType<typeof createRecords>

/** What ended an app, for its owner. */
const reasons: Readonly<Record<string, string>> = {
  AuthorizationCode: 'A code was used twice.',
  RefreshToken: 'A refresh token was used although its successor had been used.',
}

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
