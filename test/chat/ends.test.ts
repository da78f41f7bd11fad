// @promise chat-bounds
import test, { type ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import * as sessions from '../../api/sessions.ts'
import { newId } from '../../src/ids.ts'
import { fillStore } from '../api/hoarder.ts'
import { call } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, person, type Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { historyOf, openSession, partsOf, send, typesOf, type TestSession } from './stage.ts'

/* How answers end that somebody else ends: the owner of the session, its time, or what the account may use. */

const modes = ['cancel', 'continue'] as const
const stage = forWholeFile(test, 'ends of chats', (t) =>
  openStage(t, {
    worker: false,
    env: { RUN_STEPS: '4', RUN_TOOL_CALLS: '3', RUN_CREDITS: '2', STREAM_CHECK_SECONDS: '0.1' },
  }),
)

/** Its first part comes at once, the next when the answer is over for other reasons. */
const endless = '[[call echo_text {"text":"one"}]] [[then]] [[sleep 60]]'

async function withTools(platform: Platform, someone: Person, body: object = {}): Promise<TestSession> {
  const { sites } = await stage()
  const vaultEntryId = await connectBadTools({ ...someone, url: platform.url }, sites)
  return openSession(someone, { sites: [{ vaultEntryId, tools: ['echo_text', 'slow_read'] }], ...body })
}

const ask = (session: TestSession, text: string) => send(session, { text, stream: true })

/** The parts of an answer that has ended in one way; fails if it has ended in several. */
async function endedParts(t: ExecutionContext, response: Response) {
  const parts = await partsOf(t, response)
  const ends = typesOf(parts).filter((type) => type === 'finish' || type === 'error' || type === 'abort')
  t.deepEqual(ends, [typesOf(parts).at(-1)!])
  return parts
}

/** How the answers of a session have ended; for sessions whose token is good for nothing any more. */
const recordOf = ({ services }: Platform, { id: sessionId }: TestSession) =>
  eventually(10, 'the answers of the session are over', async () => {
    const rows = await services.database('chat_answers').where({ sessionId }).select('status', 'errorCode')
    return rows.every(({ status }) => status !== 'running') ? (rows as object[]) : undefined
  })

for (const onDisconnect of modes) {
  test(`a session that is ended ends its answer under way, and its reader is told (${onDisconnect})`, async (t) => {
    const { platform } = await stage()
    const someone = await customer(platform)
    const session = await withTools(platform, someone, { onDisconnect })
    const response = await ask(session, endless)
    const asked = Date.now()
    t.is((await call(someone, sessions.endSession, { params: { sessionId: session.id } })).status, 204)
    const parts = await endedParts(t, response)
    t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)
    t.regex(typesOf(parts).at(-1) ?? '', /^(abort|error)$/)
    const [answer] = await recordOf(platform, session)
    t.notDeepEqual(answer, { status: 'completed', errorCode: null })
    t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)
  })

  test(`a reader whose session expires is told so, with the end of the stream (${onDisconnect})`, async (t) => {
    const { sites } = await stage()
    const clock = movableClock()
    const platform = await startPlatform(t, { clock, sites, env: { STREAM_CHECK_SECONDS: '0.1' } })
    const session = await withTools(platform, await customer(platform), { onDisconnect, ttlSeconds: 60 })
    const response = await ask(session, endless)
    clock.forward(61)
    const parts = await endedParts(t, response)
    t.deepEqual(typesOf(parts).slice(-2), ['data-error', 'error'])
    t.like(parts.at(-2), { data: { code: 'SESSION_EXPIRED', statusCode: 410 } })
    const { body } = await historyFailure(session)
    t.is(body.code, 'SESSION_EXPIRED')
    if (onDisconnect === 'cancel') {
      t.deepEqual(await recordOf(platform, session), [{ status: 'failed', errorCode: 'STREAM_ABORTED' }])
    }
  })
}

const stopAt = ({ token }: TestSession, url: string, id: string) =>
  fetch(`${url}/chat/messages/${id}/stream`, { method: 'DELETE', headers: { 'x-session-token': token } })

const underWay = (session: TestSession) =>
  eventually(20, 'a call of the answer is under way', async () => {
    const [, answer] = (await historyOf(session)).items
    return answer?.parts.some(({ type }) => type === 'dynamic-tool') ? answer : undefined
  })

test('an answer is stopped at any process, keeps what it has said, and leaves no call open', async (t) => {
  const { platform, sites } = await stage()
  const env = { DATABASE_URL: platform.config.database.url, BASE_URL: platform.url }
  const other = await startPlatform(t, { sites, env })
  const session = await withTools(platform, await customer(platform))
  const answering = ask(session, '[[call slow_read {"seconds":10}]]')
  const { id } = await underWay(session)
  const asked = Date.now()
  t.is((await stopAt(session, other.url, id)).status, 204)
  t.is(typesOf(await endedParts(t, await answering)).at(-1), 'abort')
  t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)
  const [, answer] = (await historyOf(session)).items
  t.like(answer, { status: 'stopped', parts: [{ type: 'step-start' }, { type: 'text' }, { state: 'output-error' }] })
})

const historyFailure = async ({ url, token }: TestSession) => {
  const response = await fetch(`${url}/chat/messages`, { headers: { 'x-session-token': token } })
  return { body: (await response.json()) as { code: string } }
}

/** Spends all credits, as a step of another answer would. */
async function spendAll({ services }: Platform, someone: Person, left = 0): Promise<void> {
  const { id: ownerId } = (await call(someone, auth.me)).body
  await services.database.transaction(async (trx) => {
    const { balance } = await services.billing.account(ownerId, trx)
    await services.billing.credits.chargeStep(trx, {
      ownerId,
      answerId: newId(),
      step: 1,
      credits: balance - left,
      tokens: 0,
    })
  })
}

test('an answer without credits is an ordinary error reply, and its exchange is on record as failed', async (t) => {
  const { platform } = await stage()
  const someone = await person(platform)
  const session = await openSession(someone)
  await spendAll(platform, someone)
  for (const stream of [true, false]) {
    const response = await send(session, { text: 'Hello.', stream })
    t.is(response.status, 402)
    t.like(await response.json(), { code: 'NO_CREDITS', statusCode: 402 })
  }
  const failed = { role: 'assistant', status: 'failed', parts: [], error: { code: 'NO_CREDITS', statusCode: 402 } }
  const { items } = await historyOf(session)
  t.like(items, [{ role: 'user' }, failed, { role: 'user' }, failed])
})

test('of two answers with one credit, one is asked for, and the other has none once that is charged', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const [one, other] = [await openSession(someone), await openSession(someone)]
  await spendAll(platform, someone, 1)
  const first = ask(one, '[[sleep 2]] [[say Done.]]')
  const { database } = platform.services
  const holds = database('credit_holds').where({ ownerId: (await call(someone, auth.me)).body.id })
  await eventually(20, 'its step is under way', async () => await holds.clone().first<object | undefined>('credits'))
  const second = await send(other, { text: '[[say Done.]]', stream: false })
  t.like(await second.json(), { code: 'NO_CREDITS', statusCode: 402 })
  t.is(typesOf(await partsOf(t, await first)).at(-1), 'finish')
  t.is(await holds.clone().first(), undefined)
})

test('credits that run out in the middle of an answer end it, and what it has used stays charged', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const session = await withTools(platform, someone)
  const answering = ask(session, '[[call slow_read {"seconds":2}]] [[then]] [[say I go on.]]')
  await eventually(20, 'its first step is charged', async () => {
    const [, answer] = (await historyOf(session)).items
    return answer?.parts.some(({ type }) => type === 'dynamic-tool') || undefined
  })
  await spendAll(platform, someone)
  const parts = await endedParts(t, await answering)
  t.like(parts.at(-2), { type: 'data-error', data: { code: 'NO_CREDITS', statusCode: 402 } })
  const { items } = await historyOf(session)
  t.like(items[1], { status: 'failed', error: { code: 'NO_CREDITS' }, metadata: { credits: 1 } })
  t.like(items[1]?.parts, [
    { type: 'step-start' },
    { type: 'text' },
    { type: 'dynamic-tool', state: 'output-available' },
  ])
})

const callsIn = (steps: number, each: number): string =>
  Array.from({ length: steps }, () => '[[call echo_text {"text":"one"}]]'.repeat(each)).join(' [[then]] ')

const budgets = [
  { what: 'steps', env: { RUN_STEPS: '2' }, text: callsIn(3, 1), sentence: /the budget of 2 steps/, calls: 2 },
  {
    what: 'tool calls',
    env: { RUN_TOOL_CALLS: '3' },
    text: callsIn(2, 2),
    sentence: /budget of 3 tool calls/,
    calls: 2,
  },
  { what: 'tokens', env: { RUN_TOKENS: '100' }, text: callsIn(2, 1), sentence: /the budget of 100 tokens/, calls: 0 },
  { what: 'credits', env: { RUN_CREDITS: '1' }, text: callsIn(3, 1), sentence: /the budget of 1 credits/, calls: 1 },
]

for (const { what, env, text, sentence, calls } of budgets) {
  test(`an answer has the ${what} of a run, and no call is made beyond them`, async (t) => {
    const { platform, sites } = await stage()
    const someone = await customer(platform)
    const other = await startPlatform(t, {
      sites,
      env: { DATABASE_URL: platform.config.database.url, BASE_URL: platform.url, ...env },
    })
    const session = await withTools(platform, someone)
    const parts = await endedParts(t, await ask({ ...session, url: other.url }, text))
    t.like(parts.at(-2), { type: 'data-error', data: { code: 'MODEL_ERROR', statusCode: 502 } })
    t.regex(JSON.stringify(parts.at(-1)), sentence)
    t.is(typesOf(parts).filter((type) => type === 'tool-output-available').length, calls)
    const [row] = await other.services.database('chat_answers').where({ sessionId: session.id }).select('id')
    const made = await other.services
      .database('chat_tool_calls')
      .where({ answerId: String(row.id), status: 'succeeded' })
    t.is(made.length, calls)
  })
}

test('what is said in chats counts toward what is kept for an owner, who is told when that is full', async (t) => {
  const { platform } = await stage()
  const { storedBytes } = platform.services.billing
  const someone = await person(platform)
  const session = await openSession(someone)
  const { id: ownerId } = (await call(someone, auth.me)).body
  t.is((await send(session, { text: `[[say Yes.]]${'é'.repeat(30_000)}` })).status, 200)
  await storedBytes.flush()
  const [row] = await platform.services.database('stored_bytes').where({ ownerId }).sum({ bytes: 'bytes' })
  const bytes = Number(row?.['bytes'])
  t.true(bytes >= 60_000 && bytes < 63_000, String(bytes))
  await fillStore(platform, someone, 256 * 1024 ** 2)
  const before = await historyOf(session)
  const refused = await send(session, { text: 'Hello.' })
  t.is(refused.status, 403)
  const body = (await refused.json()) as { code: string; error: string }
  t.is(body.code, 'FEATURE_LIMIT_REACHED')
  t.regex(body.error, /256 MiB in the tier free/)
  t.deepEqual(await historyOf(session), before)
})
