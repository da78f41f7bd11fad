// @promise chat-crashes
import test, { type ExecutionContext } from 'ava'
import { historyOf, openSession, partsOf, send, textOf, typesOf, type TestSession } from '../chat/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer } from '../helpers/people.ts'
import { openStage, reconcile } from './stage.ts'

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

test('an answer that takes longer than a process may take to end fails, or another process goes on with it', async (t) => {
  const stage = await world(t, '1')
  reconcile(t, stage.platform)
  const { sessions, responses } = await twoAnswers(stage, '[[call no_such_tool {}]] [[then]] [[sleep 8]]')
  const asked = Date.now()
  const stopped = stage.api.stop()
  const error = { code: 'INTERNAL_ERROR', statusCode: 500 }
  const [cancelled, continued] = await Promise.all(responses.map(async (response) => partsOf(t, await response)))
  for (const parts of [cancelled, continued]) {
    t.deepEqual(typesOf(parts ?? []).slice(-2), ['data-error', 'error'])
    t.like(parts?.at(-2), { data: error })
  }
  t.regex(JSON.stringify(cancelled?.at(-1)), /The server that wrote this answer has stopped\. Send the message again\./)
  t.regex(JSON.stringify(continued?.at(-1)), /the answer continues\. Reconnect to its stream\./)
  t.is(await stopped, 0)
  t.true(Date.now() - asked < 5000, `${Date.now() - asked} ms`)
  const [failed, goingOn] = sessions as [TestSession, TestSession]
  const answer = await answerOf(failed)
  t.like(answer, { status: 'failed', error })
  t.like(answer?.parts, [{ type: 'step-start' }, { type: 'text' }, { type: 'dynamic-tool', state: 'output-error' }])
  await eventually(
    30,
    'another process completes it',
    async () => (await answerOf(goingOn))?.status === 'completed' || undefined,
  )
})
