import test from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { person } from '../helpers/people.ts'
import { openStage } from '../helpers/runs.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startChatServer } from '../helpers/chat-server.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { historyOf, openSession, partsOf, send, spendAllBut, textOf } from './stage.ts'

const platformOf = sharedPlatform(test, 'idle')

test('a message whose stream is refused is not kept, and holds up no other', async (t) => {
  const platform = await platformOf()
  const someone = await person(platform)
  const sessions = await Promise.all(Array.from({ length: 31 }, () => openSession(someone)))
  const [last, ...others] = sessions
  const leaving = new AbortController()
  const text = '[[sleep 60]]'
  const streams = others.map((session) => send(session, { text, stream: true }, { signal: leaving.signal }))
  await eventually(10, 'all are under way', async () => {
    const found = await Promise.all(others.map((session) => historyOf(session)))
    return found.every(({ items }) => items[1]?.status === 'running') || undefined
  })
  const refused = await send(last!, { text: 'Hello.', stream: true })
  t.is(refused.status, 429)
  t.like(await refused.json(), { code: 'RATE_LIMITED' })
  t.deepEqual((await historyOf(last!)).items, [])
  leaving.abort()
  await Promise.allSettled(streams)
  const answer = await eventually(10, 'there is room again', async () => {
    const response = await send(last!, { text: '[[say Hello.]]', stream: true })
    return response.status === 200 ? response : void (await response.text())
  })
  t.regex(textOf(await partsOf(t, answer)), /Hello\./)
})

// @promise chat-bounds
test('of all sessions of an owner, only so many answers are under way, also if nobody streams them', async (t) => {
  const platform = await platformOf()
  const someone = await person(platform)
  const leaving = new AbortController()
  const sessions = await Promise.all(
    Array.from({ length: 31 }, (_, index) => openSession(someone, { onDisconnect: index % 2 ? 'continue' : 'cancel' })),
  )
  const sent = sessions.map((session) =>
    send(session, { text: '[[sleep 60]]' }, { signal: leaving.signal }).then(async (response) => ({
      status: response.status,
      body: await response.json(),
    })),
  )
  const refused = await Promise.race(sent)
  t.like(refused, { status: 429, body: { code: 'RATE_LIMITED' } })
  leaving.abort()
  await Promise.allSettled(sent)
  t.is((await send(await openSession(await person(platform)), { text: '[[say Hello.]]' })).status, 200)
  await Promise.all(
    sessions.map((session) =>
      fetch(`${session.url}/sessions/current`, { method: 'DELETE', headers: { 'x-session-token': session.token } }),
    ),
  )
  const last = await openSession(someone)
  await eventually(10, 'all places are free again', async () => {
    const free = await Promise.all(Array.from({ length: 10 }, () => send(last, { text: '[[say Hello.]]' })))
    return free.every(({ status }) => status === 200) || undefined
  })
})

test('a message that is refused takes no place from the answers of its owner, however often', async (t) => {
  const platform = await platformOf()
  const session = await openSession(await person(platform))
  // There is nothing in the session that could be answered again; an owner may have 30 answers under way.
  for (let times = 0; times < 31; times += 1) t.is((await send(session, {})).status, 400)
  t.is((await send(session, { text: '[[say Hello.]]' })).status, 200)
})

test('answers that wait for a place at the provider do not spend what others have spent meanwhile', async (t) => {
  const provider = await startChatServer(() => ({ text: 'Hello.' }))
  t.teardown(provider.close)
  const models = [{ id: 'm', price: { input: 1, output: 1 } }]
  const described = { name: 'narrow', kind: 'openai-compatible', baseUrl: provider.url, models, concurrency: 1 }
  const { platform } = await openStage(t, { worker: false, env: modelsEnvironment([described]) })
  const someone = await person(platform)
  await spendAllBut(platform, someone, 2)
  const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(someone)))
  const statuses = await Promise.all(sessions.map(async (session) => (await send(session, { text: 'Hello.' })).status))
  t.is(statuses.filter((status) => status === 200).length, 2)
  t.is(statuses.filter((status) => status === 402).length, 6)
  t.is((await call(someone, billing.getBilling)).body.balance, 0)
  t.is(provider.texts.length, 2)
})

test('a HEAD request for an answer under way has the headers of its stream, and does not wait for its end', async (t) => {
  const platform = await platformOf()
  const session = await openSession(await person(platform), { onDisconnect: 'continue' })
  const headers = { 'x-session-token': session.token }
  const leaving = new AbortController()
  const sent = send(session, { text: '[[sleep 60]]', stream: true }, { signal: leaving.signal })
  await eventually(10, 'it is under way', async () => (await historyOf(session)).items.length === 2 || undefined)
  const signal = AbortSignal.timeout(5000)
  const head = await fetch(`${session.url}/chat/messages/any/stream`, { method: 'HEAD', headers, signal })
  t.is(head.headers.get('content-type'), 'text/event-stream')
  t.truthy(head.headers.get('x-resumable-stream-id'))
  leaving.abort()
  await t.throwsAsync(sent)
})
