import test, { type ExecutionContext } from 'ava'
import * as approvals from '../../api/approvals.ts'
import * as exported from '../../api/exports.ts'
import { historyOf, openSession, partsOf, send, textOf, typesOf, type TestSession } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { openStage, reconcile } from './stage.ts'

/** An API to kill, and another one in this process, which does what is left to do. */
async function world(t: ExecutionContext) {
  const stage = await openStage(t, { sites: true })
  reconcile(t, stage.platform)
  return { ...stage, someone: await customer(stage.platform) }
}

const statusOf = async (session: TestSession, index = 1) => (await historyOf(session)).items[index]?.status

/** The text of a resumed stream at any process. */
const resume = ({ token }: TestSession, url: string) =>
  fetch(`${url}/chat/messages/any/stream`, { headers: { 'x-session-token': token } })

// @promise chat-crashes
test('an API that is killed during a tool call of a chat leaves no second effect, says what is not known, and the chat goes on', async (t) => {
  const { startApi, someone, sites } = await world(t)
  const api = await startApi()
  const vaultEntryId = await connectBadTools(someone, sites)
  const session = await openSession(someone, { sites: [{ vaultEntryId, tools: ['slow_once'] }] })
  const calls = () => sites.badTools.requests().filter(({ tool }) => tool === 'slow_once').length
  const before = calls()
  const sent = send({ ...session, url: api.url }, { text: '[[call slow_once {"seconds":30}]]', stream: true })
  const broken = sent.then((response) => response.text()).catch(() => 'broken')
  await eventually(20, 'the call is at the site', () => calls() > before || undefined)
  const next = send(session, { text: '[[say I am still here.]]', stream: true })
  await api.kill()
  await broken
  await eventually(40, 'the answer has failed', async () => (await statusOf(session)) === 'failed' || undefined)
  const { items } = await historyOf(session, '?branch=all')
  t.like(items[1], { status: 'failed', error: { code: 'STREAM_ABORTED' } })
  const [made] = items[1]?.parts.filter(({ type }) => type === 'dynamic-tool') ?? []
  t.like(made, { toolName: 'slow_once', state: 'output-error' })
  t.regex((made as { errorText?: string }).errorText ?? '', /may or may not have taken effect/)
  const whole = (await call(someone, exported.exportAccount)).body as unknown as { sessions: { messages: object[] }[] }
  t.deepEqual(whole.sessions[0]?.messages[1], items[1] as object)
  t.regex(textOf(await partsOf(t, await next)), /I am still here\./)
  t.is(calls(), before + 1)
})

// @promise chat-approvals
test('an approval survives the process that asked for it, and its call is made once, whoever goes on', async (t) => {
  const { startApi, someone, sites } = await world(t)
  const api = await startApi()
  const vaultEntryId = await connectBadTools(someone, sites)
  const askFirst = ['slow_idempotent']
  const session = await openSession(someone, { sites: [{ vaultEntryId, tools: askFirst, askFirst }] })
  const calls = () => sites.badTools.requests().filter(({ tool }) => tool === 'slow_idempotent').length
  const before = calls()
  const text = '[[call slow_idempotent {"seconds":0}]] [[then]] [[say It is done.]]'
  const parts = await partsOf(t, await send({ ...session, url: api.url }, { text, stream: true }))
  const asked = parts.find((part) => part.type === 'data-approval')
  await api.kill()
  t.is(calls(), before)
  const params = { approvalId: String(asked?.id) }
  await Promise.all(
    [1, 2].map(() => call(someone, approvals.decideApproval, { params, body: { decision: 'approve' } })),
  )
  await eventually(30, 'the answer is complete', async () => (await statusOf(session)) === 'completed' || undefined)
  t.is(calls(), before + 1)
  t.regex(JSON.stringify((await historyOf(session)).items[1]?.parts), /It is done\./)
})

// @promise chat-crashes
test('an answer that goes on without its reader survives its process: another one begins the step again, and no step is lost or charged twice', async (t) => {
  const { startApi, someone, platform } = await world(t)
  const api = await startApi()
  const session = await openSession(someone, { onDisconnect: 'continue' })
  const text = '[[say First words.]] [[call no_such_tool {}]] [[then]] [[sleep 3]] [[say Last words.]]'
  const sent = send({ ...session, url: api.url }, { text, stream: true })
  const broken = sent.then((response) => response.text()).catch(() => 'broken')
  const stepsOf = async () => JSON.stringify((await historyOf(session)).items[1]?.parts ?? [])
  await eventually(
    20,
    'the first step is on record',
    async () => (await stepsOf()).includes('First words') || undefined,
  )
  await api.kill()
  await broken
  const answer = () => platform.services.database('chat_answers').where({ sessionId: session.id }).first()
  await eventually(30, 'another process has it', async () => (await answer()).takeovers === 1 || undefined)
  const parts = await partsOf(t, await resume(session, platform.url))
  t.is(parts.at(-1)?.type, 'finish')
  t.regex(textOf(parts), /First words\.[^]*Last words\./)
  const charged = await platform.services
    .database('ledger_entries')
    .where({ answerId: (await answer()).id })
    .orderBy('step')
  t.deepEqual(
    charged.map(({ step }) => step),
    [1, 2],
  )
})

// @promise chat-readers
test('an answer that goes on is read again at another process, from its first part to its end', async (t) => {
  const { startApi, someone, platform } = await world(t)
  const api = await startApi()
  const session = await openSession(someone, { onDisconnect: 'continue' })
  const text = '[[say First words.]] [[then]] [[sleep 3]] [[say Last words.]]'
  const leaving = new AbortController()
  const sent = send({ ...session, url: api.url }, { text, stream: true }, { signal: leaving.signal })
  await eventually(20, 'it is under way', async () => (await statusOf(session)) === 'running' || undefined)
  leaving.abort()
  await sent.then((response) => response.text()).catch(() => undefined)
  const parts = await partsOf(t, await resume(session, platform.url))
  t.is(parts[0]?.type, 'start')
  t.is(parts.at(-1)?.type, 'finish')
  t.is(typesOf(parts).filter((type) => type === 'text-start').length, 1)
  t.is((await resume(session, platform.url)).status, 204)
  await api.kill()
})
