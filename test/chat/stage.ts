import type { ExecutionContext } from 'ava'
import * as sessions from '../../api/sessions.ts'
import type { ChatPart } from '../../src/chat/parts.ts'
import { call } from '../helpers/client.ts'
import type { Person } from '../helpers/people.ts'

/** A session of a person, and how to talk in it. */
export async function openSession(someone: Person, body: object = {}) {
  const { body: made } = await call(someone, sessions.createSession, { body: { sites: [], ...body } })
  return { id: made.id, token: made.token, url: someone.url }
}

export type TestSession = Awaited<ReturnType<typeof openSession>>

/** Sends a message; by default as this API has it, and for a stream. */
export const send = (
  session: Pick<TestSession, 'token' | 'url'>,
  body: object,
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${session.url}/chat/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-session-token': session.token },
    body: JSON.stringify(body),
    ...init,
  })

/** The parts of a whole stream; fails unless it ends with `[DONE]`. */
export async function partsOf(t: ExecutionContext, response: Response): Promise<ChatPart[]> {
  const text = await response.text()
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: '))
  t.is(frames.at(-1), 'data: [DONE]', text.slice(-500))
  return frames.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)) as ChatPart)
}

export const typesOf = (parts: ChatPart[]): string[] => parts.map(({ type }) => type)

export const textOf = (parts: ChatPart[]): string =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')

/** A message as the history has it. */
interface Shown {
  id: string
  number: number
  role: string
  status?: string
  parentId: string | null
  parts: { type: string; state?: string }[]
}

/** What was said in the session. */
export async function historyOf(session: TestSession, query = ''): Promise<{ items: Shown[]; more: boolean }> {
  const headers = { 'x-session-token': session.token }
  return (await fetch(`${session.url}/chat/messages${query}`, { headers })).json() as Promise<{
    items: Shown[]
    more: boolean
  }>
}
