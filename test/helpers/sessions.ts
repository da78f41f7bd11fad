import * as auth from '../../api/auth.ts'
import * as sessions from '../../api/sessions.ts'
import { later } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { hashToken, newToken } from '../../src/secrets/opaque-tokens.ts'
import { call, type Client } from './client.ts'
import type { Platform } from './platform.ts'

type SessionBody = NonNullable<
  NonNullable<
    Parameters<typeof call<'/sessions', undefined, typeof sessions.createSession.body & {}, undefined>>[2]
  >['body']
>

/** Creates a chat session; by default one without sites. */
export const sessionOf = async (someone: Client, fields: SessionBody = {}) =>
  (await call(someone, sessions.createSession, { body: fields })).body

/** The header with a session's token. */
export const withToken = ({ token }: { token: string }) => ({ 'x-session-token': token })

/** Reads the session of a token, or sends no token. */
export const current = ({ url }: Client, token?: string) =>
  call({ url }, sessions.getCurrentSession, token === undefined ? {} : { headers: withToken({ token }) })

/** Adds this many sessions to a person in one step. Nobody knows their tokens. */
export async function fillSessions({ services }: Platform, someone: Client, count: number): Promise<void> {
  const { id: ownerId } = (await call(someone, auth.me)).body
  const createdAt = services.clock.now()
  const times = { createdAt, usedAt: createdAt, expiresAt: later(createdAt, 3600) }
  const rows = Array.from({ length: count }, () => ({
    id: newId(),
    ownerId,
    tokenHash: hashToken(newToken('session')),
    onDisconnect: 'cancel' as const,
    lastNumber: 0,
    ...times,
  }))
  await services.database.batchInsert('sessions', rows, 500)
}
