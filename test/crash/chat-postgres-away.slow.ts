// @promise chat-crashes
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import { historyOf, openSession, partsOf, send, stop, textOf, typesOf, underWay } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { openDatabaseDoor } from '../helpers/database-door.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, startFailingProvider, type Act } from '../models/failing-provider.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { chat, type WireCall } from '../models/wire.ts'
import { openStage, reconcile } from './stage.ts'

/** An API process that reaches Postgres through a door, and one in this process that does the rest and is never cut off. */
const world = forWholeFile(test, 'chats without Postgres', async (t) => {
  const provider = await startFailingProvider(t)
  const models = [
    'speaks-on',
    'speaks-on-alone',
    'calls',
    'calls-alone',
    'unconfirmed',
    'taken',
    'unheld',
    'unheld-alone',
    'asking',
    'sending',
    'stopped',
    'queued',
  ].map((id) => ({
    id,
    price: { input: 1, output: 2 },
  }))
  const described = { name: 'scripted', kind: 'openai-compatible', baseUrl: provider.url, models }
  const { url, drop } = await openTestDatabase()
  t.teardown(drop)
  const env = { DATABASE_URL: url, ...modelsEnvironment([described]) }
  const stage = await openStage(t, { sites: true, env })
  reconcile(t, stage.platform)
  const door = await openDatabaseDoor(t, url)
  const api = await stage.startApi({ DATABASE_URL: door.url })
  return { ...stage, provider, door, api }
})

/** What a chat has come to: what its reader was told, what is on record, what it has cost, and what the site was asked. */
async function chatOf(model: string, onDisconnect: 'cancel' | 'continue', acts: Act[]) {
  const { platform, sites, provider, api } = await world()
  const owner = await customer(platform)
  const vaultEntryId = await connectBadTools(owner, sites)
  const session = await openSession(owner, { model, onDisconnect, sites: [{ vaultEntryId, tools: ['slow_once'] }] })
  provider.play(model, acts)
  return {
    owner,
    session,
    ask: (init: RequestInit = {}) => send({ ...session, url: api.url }, { text: 'Do it.', stream: true }, init),
    requests: () => provider.requestsOf(model).length,
    answer: async () => (await historyOf(session)).items[1],
    answers: async () => platform.services.database('chat_answers').where({ sessionId: session.id }),
    charges: async () => {
      const { items } = (await call(owner, billing.listLedger, {})).body
      return items.filter(({ kind }) => kind === 'chat_step').length
    },
  }
}

const toSite = (seconds: number, marker: string): WireCall => ({
  id: `call_${marker}`,
  name: 'slow_once',
  arguments: JSON.stringify({ seconds }),
})

/** Says something, and the rest only when it may. */
const speakingOn =
  (more: Promise<unknown>, rest: (object | string)[]): Act =>
  async (response) => {
    await events(chat.begin('I begin well. '), 'hang')(response, { model: '', at: 0, body: {} })
    await more
    for (const event of [...chat.begin('I go on. ').slice(-1), ...rest]) {
      response.write(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)
    }
    response.end()
  }

const done = events(chat.all('It is done.'))

const modes = ['cancel', 'continue'] as const
const suffix = { cancel: '', continue: '-alone' }

/** Ten seconds without Postgres, in the middle of four answers: two whose model speaks, and two whose call is at the site. */
const outage = forWholeFile(test, 'ten seconds without Postgres', async () => {
  const { door, sites } = await world()
  const away = Promise.withResolvers<undefined>()
  const speakers = await Promise.all(
    modes.map((mode) =>
      chatOf(`speaks-on${suffix[mode]}`, mode, [speakingOn(away.promise, chat.asking([toSite(0, 'spoken')])), done]),
    ),
  )
  const callers = await Promise.all(
    modes.map((mode) => chatOf(`calls${suffix[mode]}`, mode, [events(chat.asking([toSite(4, 'sent')])), done])),
  )
  const calls = () => sites.badTools.requests().filter(({ tool }) => tool === 'slow_once')
  const answered = [...speakers, ...callers].map(async (one) => (await one.ask()).text())
  await eventually(20, 'two calls are at the site', () => calls().length === 2 || undefined)
  await eventually(20, 'all speak', () => speakers.every(({ requests }) => requests() === 1) || undefined)
  await delay(500)
  await door.stop()
  away.resolve(undefined)
  await delay(10_000)
  await door.start()
  const texts = await Promise.all(answered)
  return { chats: [...speakers, ...callers], texts, calls }
})

test.serial('nothing is done twice, charged twice or untold if Postgres is away for ten seconds', async (t) => {
  const { chats, texts, calls } = await outage()
  // Another process, which reaches Postgres, continues the answers that need no reader: the model is asked again.
  const credits = [2, 1, 2, 2]
  for (const [index, chatted] of chats.entries()) {
    const isContinued = modes[index % 2] === 'continue'
    const what = `${index < 2 ? 'its model speaks' : 'its call is at the site'}, ${modes[index % 2]}`
    const parts = await told(t, texts[index] ?? '')
    const metadata = { credits: credits[index] }
    t.like(parts.at(-1), { type: 'finish', finishReason: 'stop', messageMetadata: metadata }, what)
    t.is(typesOf(parts).filter((type) => type === 'tool-output-available').length, isContinued ? 0 : 1, what)
    if (!isContinued) t.is(textOf(parts), index < 2 ? 'I begin well. I go on. It is done.' : 'It is done.', what)
    t.regex(textOf(parts), /It is done\.$/, what)
    t.like(await chatted.answer(), { status: 'completed', metadata }, what)
    t.deepEqual([await chatted.charges(), chatted.requests()], [credits[index], 2], what)
  }
  t.is(calls().length, 3, 'each call was made once, and the one that another process did not ask for never')
})

test.serial('what Postgres could not confirm is recorded, charged and told once', async (t) => {
  const { door, sites } = await world()
  const calls = sites.badTools.requests().length
  const chatted = await chatOf('unconfirmed', 'cancel', [events(chat.asking([toSite(0, 'unconfirmed')])), done])
  door.unconfirmed('insert into "steps"')
  door.unconfirmed('"finish" = ')
  const parts = await told(t, await (await chatted.ask()).text())
  t.true(door.areBroken())
  t.like(parts.at(-1), { type: 'finish', finishReason: 'stop', messageMetadata: { credits: 2 } })
  t.like(await chatted.answer(), { status: 'completed', metadata: { credits: 2 } })
  t.is(await chatted.charges(), 2)
  t.is(chatted.requests(), 2)
  t.is(sites.badTools.requests().length, calls + 1)
})

for (const mode of modes) {
  test.serial(`an answer goes on in its process if Postgres breaks before its step (${mode})`, async (t) => {
    const { door, platform } = await world()
    const chatted = await chatOf(`unheld${suffix[mode]}`, mode, [done])
    door.unconfirmed('insert into credit_holds')
    const parts = await told(t, await (await chatted.ask()).text())
    t.true(door.areBroken())
    t.like(parts.at(-1), { type: 'finish', finishReason: 'stop', messageMetadata: { credits: 1 } })
    t.like(await chatted.answer(), { status: 'completed' })
    t.deepEqual([await chatted.charges(), chatted.requests()], [1, 1])
    const of = { sessionId: chatted.session.id }
    t.like(await platform.services.database('chat_answers').where(of).first(), { takeovers: 0 })
  })
}

for (const { when, model, text } of [
  { when: 'before it asks its model again', model: 'asking', text: 'coalesce(max(shortened_through), 0)' },
  { when: 'before its call is sent', model: 'sending', text: 'where a.id = tool_calls.subject_id and a.writer = ' },
]) {
  test.serial(`an answer goes on, and does nothing twice, if its connection breaks ${when}`, async (t) => {
    const { door, sites } = await world()
    const calls = sites.badTools.requests().length
    const arrived = Promise.withResolvers<undefined>()
    const chatted = await chatOf(model, 'cancel', [speakingOn(arrived.promise, chat.asking([toSite(0, model)])), done])
    const response = chatted.ask()
    await eventually(20, 'the model is asked', () => chatted.requests() === 1 || undefined)
    door.unsent(text)
    arrived.resolve(undefined)
    const parts = await told(t, await (await response).text())
    t.true(door.areBroken())
    t.like(parts.at(-1), { type: 'finish', finishReason: 'stop', messageMetadata: { credits: 2 } })
    const types = typesOf(parts)
    for (const type of ['tool-output-available', 'tool-input-available']) {
      t.is(types.filter((each) => each === type).length, 1, type)
    }
    t.is(types.filter((each) => each === 'start-step').length, types.filter((each) => each === 'finish-step').length)
    t.deepEqual([await chatted.charges(), chatted.requests(), sites.badTools.requests().length - calls], [2, 2, 1])
  })
}

test.serial('an answer whose turn Postgres could not confirm has it', async (t) => {
  const { door } = await world()
  const over = Promise.withResolvers<undefined>()
  const chatted = await chatOf('queued', 'cancel', [
    speakingOn(over.promise, [...chat.end(), ...chat.usage(), ...chat.done()]),
    done,
  ])
  const first = chatted.ask()
  await eventually(20, 'the model is asked', () => chatted.requests() === 1 || undefined)
  const second = chatted.ask()
  await eventually(20, 'the second waits', async () => (await chatted.answers()).length === 2 || undefined)
  // Only an answer that has begun lets others give way, in the same transaction.
  door.unconfirmed('order by "number" asc for update')
  over.resolve(undefined)
  const texts = await Promise.all([first, second].map(async (response) => (await response).text()))
  t.true(door.areBroken())
  for (const text of texts) t.like((await told(t, text)).at(-1), { type: 'finish', finishReason: 'stop' })
  t.is(chatted.requests(), 2)
})

test.serial('an answer whose stop Postgres could not confirm is told as stopped', async (t) => {
  const { door } = await world()
  const chatted = await chatOf('stopped', 'cancel', [events(chat.begin('I begin well. '), 'hang')])
  const response = chatted.ask()
  await eventually(20, 'the model is asked', () => chatted.requests() === 1 || undefined)
  door.unconfirmed('"ended_at" = $')
  t.is((await stop(chatted.session, (await underWay(chatted.session)).id)).status, 204)
  const parts = await told(t, await (await response).text())
  t.true(door.areBroken())
  t.is(parts.at(-1)?.type, 'abort')
  t.like(await chatted.answer(), { status: 'stopped' })
})

test.serial('an answer that was taken for lost is charged for what was said, and told', async (t) => {
  const { platform } = await world()
  const { database, chat: chats } = platform.services
  const lost = Promise.withResolvers<undefined>()
  const chatted = await chatOf('taken', 'cancel', [
    speakingOn(lost.promise, [...chat.end(), ...chat.usage(), ...chat.done()]),
  ])
  const response = await chatted.ask()
  const of = { sessionId: chatted.session.id }
  // As if what its process says of itself did not arrive.
  await eventually(20, 'it is over', async () => {
    await database('chat_answers')
      .where(of)
      .whereNull('endedAt')
      .update({ writerUntil: new Date(0) })
    await chats.takeUpLost()
    return (await database('chat_answers').where(of).whereNull('endedAt')).length === 0 || undefined
  })
  lost.resolve(undefined)
  const parts = await partsOf(t, response)
  t.like(parts.at(-2), { type: 'data-error', data: { code: 'STREAM_ABORTED' } })
  t.is(parts.at(-1)?.type, 'error')
  t.like(await chatted.answer(), {
    status: 'failed',
    parts: [],
    error: { code: 'STREAM_ABORTED' },
    metadata: { credits: 1 },
  })
  t.is(await chatted.charges(), 1)
})

const told = (t: ExecutionContext, text: string) => partsOf(t, new Response(text))
