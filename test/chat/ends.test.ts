// @promise chat-bounds chat-ends
import test, { type ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import * as sessions from '../../api/sessions.ts'
import { fillStore } from '../api/hoarder.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { sharedWorld } from './clients/world.ts'
import { historyOf, openSession, partsOf, send, spendAllBut, stop, typesOf, type TestSession } from './stage.ts'

/* How answers end that somebody else ends: the owner of the session, its time, or what the account may use. */

const world = sharedWorld(test)
const tools = ['echo_text', 'slow_read']

/** Its first part comes at once, the next when the answer is over for other reasons. */
const endless = '[[call echo_text {"text":"one"}]] [[then]] [[sleep 60]]'

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

/** Waits until the answer has called something. */
const called = (session: TestSession) =>
  eventually(20, 'a call of the answer is under way', async () => {
    const [, answer] = (await historyOf(session)).items
    return answer?.parts.some(({ type }) => type === 'dynamic-tool') ? answer : undefined
  })

for (const onDisconnect of ['cancel', 'continue'] as const) {
  test(`a session that ends or expires ends its answer under way, and its reader is told (${onDisconnect})`, async (t) => {
    const { platform, toolSession } = await world()
    const { owner, session } = await toolSession({ tools }, { onDisconnect })
    const response = await ask(session, endless)
    const asked = Date.now()
    t.is((await call(owner, sessions.endSession, { params: { sessionId: session.id } })).status, 204)
    const parts = await endedParts(t, response)
    t.regex(typesOf(parts).at(-1) ?? '', /^(abort|error)$/)
    const [answer] = await recordOf(platform, session)
    t.notDeepEqual(answer, { status: 'completed', errorCode: null })
    t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)

    const { session: late } = await toolSession({ tools }, { onDisconnect })
    const answering = await ask(late, endless)
    await platform.services.database('sessions').where({ id: late.id }).update({ expiresAt: new Date() })
    const told = await endedParts(t, answering)
    t.deepEqual(typesOf(told).slice(-2), ['data-error', 'error'])
    t.like(told.at(-2), { data: { code: 'SESSION_EXPIRED', statusCode: 410 } })
    t.like(await historyOf(late), { code: 'SESSION_EXPIRED' })
    if (onDisconnect === 'cancel')
      t.deepEqual(await recordOf(platform, late), [{ status: 'failed', errorCode: 'STREAM_ABORTED' }])
  })
}

const callsIn = (steps: number, each: number): string =>
  Array.from({ length: steps }, () => '[[call echo_text {"text":"one"}]]'.repeat(each)).join(' [[then]] ')

test('at any process, an answer is stopped and leaves no call open, and nothing beyond its budgets is done', async (t) => {
  const { toolSession, another } = await world()
  const other = await another(t, { RUN_STEPS: '2', RUN_TOOL_CALLS: '3' })
  const { session } = await toolSession({ tools })
  const answering = ask(session, '[[call slow_read {"seconds":10}]]')
  const { id } = await called(session)
  const asked = Date.now()
  const elsewhere = { ...session, url: other.url }
  t.is((await stop(elsewhere, id)).status, 204)
  t.is(typesOf(await endedParts(t, await answering)).at(-1), 'abort')
  t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)
  const [, answer] = (await historyOf(session)).items
  t.like(answer, { status: 'stopped', parts: [{ type: 'step-start' }, { type: 'text' }, { state: 'output-error' }] })

  for (const [text, sentence] of [
    [callsIn(3, 1), /the limit of 2 steps/],
    [callsIn(2, 2), /the limit of 3 tool calls/],
  ] as const) {
    const parts = await endedParts(t, await ask(elsewhere, text))
    t.like(parts.at(-2), { type: 'data-error', data: { code: 'MODEL_ERROR', statusCode: 502 } })
    t.regex(JSON.stringify(parts.at(-1)), sentence)
    t.is(typesOf(parts).filter((type) => type === 'tool-output-available').length, 2)
    const { items } = await historyOf(session)
    const made = items.at(-1)?.parts.filter(({ state }) => state === 'output-available')
    t.is(made?.length, 2)
  }
})

test('an answer without credits is an ordinary error reply, and its exchange is on record as failed', async (t) => {
  const { platform } = await world()
  const someone = await person(platform)
  const session = await openSession(someone)
  await spendAllBut(platform, someone, 0)
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
  const { platform } = await world()
  const someone = await customer(platform)
  const [one, other] = [await openSession(someone), await openSession(someone)]
  await spendAllBut(platform, someone, 1)
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
  const { platform, toolSession } = await world()
  const { owner, session } = await toolSession({ tools })
  const answering = ask(session, '[[call slow_read {"seconds":2}]] [[then]] [[say I go on.]]')
  await called(session)
  await spendAllBut(platform, owner, 0)
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

test('what is said in chats counts toward what is kept for an owner, who is told when that is full', async (t) => {
  const { platform } = await world()
  const { storedBytes } = platform.services.billing
  const someone = await person(platform)
  const session = await openSession(someone)
  const { id: ownerId } = (await call(someone, auth.me)).body
  const said = { id: 'said', text: `[[say Yes.]]${'é'.repeat(30_000)}` }
  t.is((await send(session, said)).status, 200)
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
  t.regex(body.error, /256 MiB on the free tier/)
  t.is((await send(session, said)).status, 200, 'what was answered already is told again')
  t.deepEqual(await historyOf(session), before)
})
