import type { ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import * as sessions from '../../api/sessions.ts'
import type { ChatPart } from '../../src/chat/parts.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import type { Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'

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

/** Spends all credits of somebody but so many, as a step of another answer would. */
export async function spendAllBut({ services }: Platform, someone: Person, left: number): Promise<void> {
  const { id: ownerId } = (await call(someone, auth.me)).body
  const charge = { ownerId, answerId: newId(), step: 1, tokens: 0 }
  await services.database.transaction(async (trx) => {
    const { balance } = await services.billing.account(ownerId, trx)
    await services.billing.credits.chargeStep(trx, { ...charge, credits: balance - left })
  })
}

/** Waits until the last answer of a session is under way, and returns it. */
export const underWay = (session: TestSession): Promise<Shown> =>
  eventually(20, 'the answer is under way', async () => {
    const last = (await historyOf(session)).items.at(-1)
    return last?.status === 'running' ? last : undefined
  })

/** Waits until the first answer of a session has ended so, and returns it. */
export const endsAs = (session: TestSession, status: string): Promise<Shown> =>
  eventually(20, `the answer is ${status}`, async () => {
    const [, answer] = (await historyOf(session)).items
    return answer?.status === status ? answer : undefined
  })

/** Stops an answer, as a client does. */
export const stop = ({ token, url }: Pick<TestSession, 'token' | 'url'>, id: string, query = ''): Promise<Response> =>
  fetch(`${url}/chat/messages/${id}/stream${query}`, { method: 'DELETE', headers: { 'x-session-token': token } })
