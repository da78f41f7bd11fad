// @promise chat-codes
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { endRecorded } from '../../bin/local/process-record.ts'
import { newToken } from '../../src/secrets/opaque-tokens.ts'
import { eventually } from '../helpers/eventually.ts'
import { installation } from '../helpers/installation.ts'
import { person } from '../helpers/people.ts'
import { withToken } from '../helpers/sessions.ts'
import { historyOf, openSession, partsOf, send, type TestSession } from '../chat/stage.ts'

/*
 * An answer may take 90 seconds by default, so that this is not one of the tests that always run:
 * npm run long -- chat-codes
 */
const program = (name: string): string => join(import.meta.dirname, '../../bin', `${name}.ts`)

/** `npm start` as whoever has just cloned the repository runs it, on ports that are free. */
async function started(t: ExecutionContext): Promise<string> {
  const { start, records, api } = await installation()
  const begun = start({ api: program('api'), worker: program('worker') })
  t.teardown(async () => {
    begun.kill('SIGINT')
    await begun.ended
    await endRecorded(records)
  })
  await begun.ready
  return `http://127.0.0.1:${api}`
}

interface Failure {
  code: string
  statusCode: number
}

const failureOf = async (response: Response): Promise<[number, string]> => {
  const { code } = (await response.json()) as Failure
  return [response.status, code]
}

const lastError = async (session: TestSession): Promise<Failure | undefined> =>
  ((await historyOf(session)).items.at(-1) as { error?: Failure } | undefined)?.error

/** Leaves in the middle of an answer, and reads what became of it. */
async function abandoned(session: TestSession): Promise<Failure> {
  const leaving = new AbortController()
  const sent = send(session, { text: '[[sleep 30]]', stream: true }, { signal: leaving.signal })
  const isUnderWay = async () => (await historyOf(session)).items[1]?.status === 'running' || undefined
  await eventually(10, 'the answer is under way', isUnderWay)
  leaving.abort()
  await sent.catch(() => undefined)
  return eventually(3, 'the answer has failed', () => lastError(session))
}

test('a client sees every code of sessions and chats on an installation with default settings', async (t) => {
  t.timeout(5 * 60_000)
  const url = await started(t)
  const someone = await person({ url })
  const open = (body: object = {}) => openSession(someone, body)
  const text = 'Hello.'
  const inTime = performance.now()
  const late = send(await open(), { text: '[[sleep 95]]', stream: false })
  const later = send(await open(), { text: '[[call nothing {}]] [[then]] [[sleep 95]]', stream: true })

  t.deepEqual(await failureOf(await fetch(`${url}/chat/messages`)), [400, 'INVALID_SESSION'])
  const ended = await open()
  await fetch(`${url}/sessions/current`, { method: 'DELETE', headers: withToken(ended) })
  t.deepEqual(await failureOf(await send(ended, { text })), [400, 'INVALID_SESSION'])

  const unknown = await send({ url, token: newToken('session') }, { text })
  t.deepEqual(await failureOf(unknown), [404, 'SESSION_NOT_FOUND'])

  const short = await open({ ttlSeconds: 1 })
  const expired = await eventually(10, 'the session has expired', async () => {
    const answer = await fetch(`${url}/sessions/current`, { headers: withToken(short) })
    return answer.status === 200 ? undefined : failureOf(answer)
  })
  t.deepEqual(expired, [410, 'SESSION_EXPIRED'])
  t.deepEqual(await failureOf(await send(short, { text })), [410, 'SESSION_EXPIRED'])

  t.deepEqual(await failureOf(await send(await open(), { text: '[[fail 500]]', stream: true })), [502, 'MODEL_ERROR'])
  t.like(await abandoned(await open()), { code: 'STREAM_ABORTED', statusCode: 499 })

  t.deepEqual(await failureOf(await late), [504, 'CHAT_TIMEOUT'])
  const parts = await partsOf(t, await later)
  t.like(parts.slice(-2), [{ type: 'data-error', data: { code: 'CHAT_TIMEOUT', statusCode: 504 } }, { type: 'error' }])
  const seconds = (performance.now() - inTime) / 1000
  t.true(seconds > 90 && seconds < 95, `${seconds} s`)
})
