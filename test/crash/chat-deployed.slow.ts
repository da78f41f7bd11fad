// @promise chat-crashes
import test, { type ExecutionContext } from 'ava'
import { flood, sendUnread } from '../chat/flood.ts'
import { historyOf, openSession, partsOf, send, textOf, typesOf, type TestSession } from '../chat/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer } from '../helpers/people.ts'
import { startFailingProvider } from '../models/failing-provider.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { openStage } from './stage.ts'

const modes = ['cancel', 'continue'] as const

/** An API to stop, and one in this process that stays. */
async function world(t: ExecutionContext, shutdownSeconds: string, env: Record<string, string> = {}) {
  const stage = await openStage(t, { env })
  const api = await stage.startApi({ SHUTDOWN_SECONDS: shutdownSeconds })
  return { ...stage, api, someone: await customer(stage.platform) }
}

const answerOf = async (session: TestSession) => (await historyOf(session)).items[1]

const underWay = (session: TestSession) =>
  eventually(20, 'the answer is under way', async () => (await answerOf(session))?.status === 'running' || undefined)

/** Two answers under way at the API: one with its reader, one that would go on without. */
async function twoAnswers({ api, someone }: Awaited<ReturnType<typeof world>>, text: string) {
  const sessions = await Promise.all(modes.map((onDisconnect) => openSession(someone, { onDisconnect })))
  const responses = sessions.map((session) => send({ ...session, url: api.url }, { text, stream: true }))
  await Promise.all(sessions.map(underWay))
  return { sessions, responses }
}

test('a process that is told to end lets the answers that it writes come to their end', async (t) => {
  const stage = await world(t, '20')
  const { sessions, responses } = await twoAnswers(stage, '[[sleep 3]] [[say Here it is.]]')
  const stopped = stage.api.stop()
  for (const response of responses) {
    const parts = await partsOf(t, await response)
    t.is(typesOf(parts).at(-1), 'finish')
    t.regex(textOf(parts), /Here it is\./)
  }
  t.is(await stopped, 0)
  for (const session of sessions) t.like(await answerOf(session), { status: 'completed' })
})

test('an answer that takes longer than a process may take to end is told and recorded as failed', async (t) => {
  const stage = await world(t, '1')
  const { sessions, responses } = await twoAnswers(stage, '[[call no_such_tool {}]] [[then]] [[sleep 60]]')
  const asked = Date.now()
  const stopped = stage.api.stop()
  const error = { code: 'INTERNAL_ERROR', statusCode: 500 }
  for (const response of responses) {
    const parts = await partsOf(t, await response)
    t.deepEqual(typesOf(parts).slice(-2), ['data-error', 'error'])
    t.like(parts.at(-2), { data: error })
    t.regex(JSON.stringify(parts.at(-1)), /The server that wrote this answer has stopped\. Send the message again\./)
  }
  t.is(await stopped, 0)
  t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)
  for (const session of sessions) {
    const answer = await answerOf(session)
    t.like(answer, { status: 'failed', error })
    t.like(answer?.parts, [{ type: 'step-start' }, { type: 'text' }, { type: 'dynamic-tool', state: 'output-error' }])
  }
})

test('a process ends although it has a reader of an answer that another process writes, who is told to read on', async (t) => {
  const { platform, api, someone } = await world(t, '1')
  const session = await openSession(someone, { onDisconnect: 'continue' })
  const written = send(
    { ...session, url: platform.url },
    { text: '[[call no_such_tool {}]] [[then]] [[sleep 8]]', stream: true },
  )
  await underWay(session)
  const headers = { 'x-session-token': session.token }
  const reading = await fetch(`${api.url}/chat/messages/any/stream`, { headers })
  const stopped = api.stop()
  t.deepEqual(typesOf(await partsOf(t, reading)).slice(-2), ['data-error', 'error'])
  t.is(await stopped, 0)
  t.is(typesOf(await partsOf(t, await written)).at(-1), 'finish')
})

test('a process ends although a reader does not read, and what that reader was sent is no whole stream', async (t) => {
  const provider = await startFailingProvider(t)
  const models = [{ id: 'flood', price: { input: 1, output: 2 } }]
  const described = { name: 'scripted', kind: 'openai-compatible', baseUrl: provider.url, models }
  provider.play('flood', [flood(7)])
  const { api, someone } = await world(t, '1', modelsEnvironment(t, [described]))
  const sessions = await Promise.all(modes.map((onDisconnect) => openSession(someone, { onDisconnect })))
  const answers = await Promise.all(sessions.map((session) => sendUnread({ ...session, url: api.url })))
  t.is(await api.stop(), 0)
  for (const answer of answers) {
    let text = ''
    answer.setEncoding('utf8').on('data', (piece: string) => (text = piece))
    await new Promise<void>((resolve) => void (answer.closed ? resolve() : answer.once('close', resolve)))
    t.notRegex(text, /\[DONE\]/)
  }
})
