import type { Answer, Client, Json, Request } from './client.ts'
import { accepted } from './expect.ts'
import type { Person } from './people.ts'

/** Opens a chat session and returns it with its token. */
export async function openSession(client: Client, { token }: Person, body: Json = {}): Promise<Json> {
  return accepted(await client.send({ method: 'POST', url: '/sessions', token, body }), 201)
}

export const ofSession = (session: Json): Record<string, string> => ({ 'x-session-token': String(session['token']) })

/** Sends a message in a session and waits for the answer. */
export const say = (client: Client, session: Json, text: string, more: Partial<Request> = {}): Promise<Answer> =>
  client.send(
    { method: 'POST', url: '/chat/messages', headers: ofSession(session), body: { text }, ...more },
    { isLong: true },
  )

export interface ChatItem {
  role: string
  status: string
  /** Parts in the format of the AI SDK. */
  parts: Json[]
  error?: Json
}

export async function historyOf(client: Client, session: Json): Promise<ChatItem[]> {
  const page = accepted(await client.send({ url: '/chat/messages', headers: ofSession(session) }))
  return page['items'] as ChatItem[]
}
