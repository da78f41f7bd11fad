import * as sessions from '../../api/sessions.ts'
import { call, type Client } from './client.ts'

type SessionBody = NonNullable<
  NonNullable<
    Parameters<typeof call<'/sessions', undefined, typeof sessions.createSession.body & {}, undefined>>[2]
  >['body']
>

/** Creates a chat session; by default one without sites. */
export const sessionOf = async (someone: Client, fields: SessionBody = {}) =>
  (await call(someone, sessions.createSession, { body: fields })).body

/** The header that a session's token is sent in. */
export const withToken = ({ token }: { token: string }) => ({ 'x-session-token': token })

/** Asks for the session of a token; without one, of none. */
export const current = ({ url }: Client, token?: string) =>
  call({ url }, sessions.getCurrentSession, token === undefined ? {} : { headers: withToken({ token }) })
