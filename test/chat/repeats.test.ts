// @promise chat-once
import test, { type ExecutionContext } from 'ava'
import { ChatAnswer } from '../../src/chat/chat-answer.ts'
import { Session } from '../../src/sessions/session.ts'
import { createRecordStep } from '../../src/chat/record-step.ts'
import { newId } from '../../src/ids.ts'
import { eventually } from '../helpers/eventually.ts'
import { sharedWorld } from './clients/world.ts'
import { historyOf, partsOf, send, textOf, type TestSession } from './stage.ts'

/* A message is answered once, however often it is sent. */

const world = sharedWorld(test)

const chargesOf = async ({ id: sessionId }: TestSession): Promise<number> => {
  const { database } = (await world()).platform.services
  const answers = database('chat_answers').where({ sessionId }).select('id')
  return (await database('ledger_entries').where({ kind: 'chat_step' }).whereIn('answerId', answers)).length
}

const startOf = (parts: { type: string; messageId?: string }[]) => parts.find(({ type }) => type === 'start')?.messageId

const transported = (text: string, id = 'msg-1') => ({
  id: 'chat',
  trigger: 'submit-message',
  messages: [{ id, role: 'user', parts: [{ type: 'text', text }] }],
})

const withKey = ({ token }: TestSession, key: string): RequestInit => ({
  headers: { 'content-type': 'application/json', 'x-session-token': token, 'idempotency-key': key },
})

test('two equal messages at once are one message with one answer, at any process, and so is a later one', async (t) => {
  const { sites, talker, talking, toolSession, another } = await world()
  const other = await another(t)
  const model = talking()
  const { session } = await toolSession({ tools: ['slow_once'] }, { model })
  const sent = [session, session, { ...session, url: other.url }].map((one) => send(one, transported('Do it.')))
  const speaking = await talker.call(model)
  speaking.use('slow_once', { seconds: 0 })
  const second = await talker.call(model, 2)
  second.say('It is ')
  second.say('done.')
  second.finish()
  const answers = await Promise.all(sent.map(async (one) => partsOf(t, await one)))
  answers.push(await partsOf(t, await send(session, transported('Do it.'))))
  t.is(new Set(answers.map(startOf)).size, 1)
  for (const parts of answers) {
    t.is(textOf(parts), 'It is done.')
    t.is(parts.filter(({ type }) => type === 'tool-output-available').length, 1)
  }
  t.is((await historyOf(session, '?branch=all')).items.length, 2)
  t.is(await chargesOf(session), 2, 'one for each step')
  const called = answers[0]!.find((part) => part.type === 'tool-output-available')
  const key = `chat:${called?.toolCallId}`
  t.is(sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey === key).length, 1)
})

test('a reader who comes again in time keeps the answer that the first one has left', async (t) => {
  const { talker, talking, sessionOf } = await world()
  const model = talking()
  const session = await sessionOf({ model })
  const leaving = new AbortController()
  const first = send(session, transported('Hello.'), { signal: leaving.signal }).then((response) => response.text())
  const speaking = await talker.call(model)
  speaking.say('I go ')
  const again = await send(session, transported('Hello.'))
  leaving.abort()
  await t.throwsAsync(first)
  speaking.say('on.')
  speaking.finish()
  t.is(textOf(await partsOf(t, again)), 'I go on.')
  t.is((await historyOf(session)).items[1]?.status, 'completed')
})

/** Sends a request twice, and tells whether both got one answer. */
async function isOne(t: ExecutionContext, session: TestSession, body: object, init: RequestInit = {}) {
  const [one, other] = [
    await partsOf(t, await send(session, body, init)),
    await partsOf(t, await send(session, body, init)),
  ]
  return startOf(one) === startOf(other)
}

const hello = { text: '[[say Hello.]]', stream: true }

test('what is one message and what is another is told by the id and the key', async (t) => {
  const { sessionOf } = await world()
  const session = await sessionOf()
  t.true(await isOne(t, session, { ...hello, id: 'a' }))
  t.true(await isOne(t, session, hello, withKey(session, 'k1')))
  t.true(await isOne(t, session, { stream: true }, withKey(session, 'k2')), 'another answer to the last message')
  t.false(await isOne(t, session, hello))
  t.false(await isOne(t, session, { ...hello, id: '' }))
  t.false(await isOne(t, session, { ...transported(hello.text, 'a'), trigger: 'regenerate-message' }))
  t.false(await isOne(t, session, { ...transported(hello.text, 'a'), messageId: 'a' }))
  const elsewhere = await sessionOf()
  t.is((await send(elsewhere, { ...hello, text: '[[say No.]]' }, withKey(elsewhere, 'k1'))).status, 200)
})

test('an id or a key that names something else already is refused by its name', async (t) => {
  const { sessionOf } = await world()
  const session = await sessionOf()
  await (await send(session, { ...hello, id: 'a' }, withKey(session, 'k'))).text()
  const refused: [object, RequestInit, string][] = [
    [{ text: '[[say Other.]]', id: 'a' }, {}, 'id'],
    [transported('[[say Other.]]', 'a'), {}, 'id'],
    [{ text: '[[say Other.]]' }, withKey(session, 'k'), 'Idempotency-Key'],
    [{}, withKey(session, 'k'), 'Idempotency-Key'],
    [hello, withKey(session, 'a key'), 'Idempotency-Key'],
    // What could not be found again would be charged again.
    [{ ...hello, id: 'x'.repeat(201) }, {}, 'id'],
    [{ ...hello, id: 'x\0' }, {}, 'id'],
    [transported(hello.text, 'x'.repeat(201)), {}, 'messages.0.id'],
    [transported(hello.text, 'x\ud800'), {}, 'messages.0.id'],
  ]
  for (const [body, init, path] of refused) {
    const response = await send(session, body, init)
    t.is(response.status, 400)
    t.like(await response.json(), { code: 'VALIDATION_ERROR', details: [{ path }] })
  }
  t.is((await historyOf(session)).items.length, 2)
})

test('a failed answer is given again if it has done nothing, and not if it has called tools', async (t) => {
  const { toolSession } = await world()
  for (const [text, kept] of [
    ['[[fail 500]]', ['user', 'assistant', 'assistant']],
    ['[[call echo_text {"text":"one"}]] [[then]] [[fail 400]]', ['user', 'assistant']],
    ['[[call reset {}]] [[then]] [[fail 400]]', ['user', 'assistant']],
  ] as const) {
    const { session } = await toolSession({ tools: ['echo_text', 'reset'] })
    for (let times = 0; times < 2; times += 1)
      t.is((await send(session, { text, id: 'a' }, withKey(session, 'k'))).status, 502)
    const { items } = await historyOf(session, '?branch=all')
    t.deepEqual(
      items.map(({ role }) => role),
      [...kept],
      text,
    )
  }
})

test('a reader of the record is told once of each call and its outcome, however long another call takes', async (t) => {
  const { toolSession } = await world()
  const choice = { tools: ['slow_once', 'slow_read'], askFirst: [] }
  const { session } = await toolSession(choice, { onDisconnect: 'continue' })
  const text = '[[call slow_once {"seconds":0}]] [[call slow_read {"seconds":1}]]'
  const parts = await partsOf(t, await send(session, { text, stream: true }))
  for (const type of ['tool-input-available', 'tool-output-available'])
    t.is(parts.filter((part) => part.type === type).length, 2, type)
})

test('a step is recorded and charged once, also if that was not confirmed, and so is what is lost', async (t) => {
  const { platform, sessionOf } = await world()
  const session = await sessionOf()
  await (await send(session, hello)).text()
  const { database } = platform.services
  const answer = () => ChatAnswer.query(database).findOne({ sessionId: session.id }).throwIfNotFound()
  const { id } = await answer()
  const writer = newId()
  // As if it were under way still.
  const open = { status: 'running', endedAt: null, writer, writerUntil: new Date(Date.now() + 60_000) } as const
  await ChatAnswer.query(database).where({ id }).patch(open)
  const before = await answer()
  const usage = { inputTokens: 10, outputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0 }
  const said = { ...usage, model: before.model, text: 'Once.', finish: 'other', content: null, latencyMs: 0 } as const
  const { record, chargeLost } = createRecordStep(platform.services)
  const tokens = async () => (await platform.services.billing.account(before.ownerId)).tokensUsed
  const tokensBefore = await tokens()
  const judged = { calls: [], cost: undefined, verdict: undefined, output: null, isSummary: false }
  const recording = { session: await Session.query(database).findById(session.id).throwIfNotFound(), answer: before }
  for (const _ of ['once', 'again']) {
    await record({ ...recording, written: { id, writer } }, { ...said, ...judged }, [])
  }
  await chargeLost({ id, writer }, before, { ...usage, cost: undefined })
  t.like(await answer(), { steps: 2, credits: 2 })
  const after = await answer()
  for (const _ of ['once', 'again']) await chargeLost({ id, writer }, after, { ...usage, cost: undefined })
  t.like(await answer(), { steps: 2, credits: 3 })
  t.is(await chargesOf(session), 3)
  t.is((await tokens()) - tokensBefore, 40)
  await ChatAnswer.query(database).where({ id }).patch({ status: 'completed', endedAt: new Date(), writer: null })
})

for (const onDisconnect of ['cancel', 'continue'] as const) {
  test(`the halves of a character are told as one, to all readers (${onDisconnect})`, async (t) => {
    const { talker, talking, sessionOf } = await world()
    const model = talking()
    const session = await sessionOf({ model, onDisconnect })
    const first = send(session, transported('Hello.'))
    const speaking = await talker.call(model)
    speaking.say('Hi \ud83d')
    const between = await send(session, transported('Hello.'))
    await eventually(10, 'the first words are read', async () => (await historyOf(session)).items[1] && true)
    speaking.say('\ude00!')
    speaking.say('\ud83d')
    speaking.finish()
    for (const response of [await first, between]) {
      const parts = await partsOf(t, response)
      const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []))
      t.true(
        deltas.every((delta) => delta.isWellFormed()),
        JSON.stringify(deltas),
      )
      t.is(deltas.join(''), 'Hi 😀!\ufffd')
    }
    const [, answer] = (await historyOf(session)).items
    t.like(answer, { parts: [{ type: 'step-start' }, { text: 'Hi 😀!\ufffd' }] })
  })
}

test('a client learns soon which answer it gets, and what fails later is told in the stream', async (t) => {
  const { talker, talking, sessionOf, another } = await world()
  const { url } = await another(t, { CHAT_START_SECONDS: '0.3' })
  const model = talking()
  const session = { ...(await sessionOf({ model, onDisconnect: 'continue' })), url }
  const response = await send(session, transported('Hello.'))
  t.is(response.status, 200)
  const [first, resumed] = [response, await fetch(`${session.url}/chat/messages/x/stream`, withKey(session, 'none'))]
  const speaking = await talker.call(model)
  speaking.breakOff()
  for (const one of [first, resumed]) {
    const parts = await partsOf(t, one)
    t.deepEqual(
      parts.map(({ type }) => type),
      ['start', 'data-error', 'error'],
    )
    t.like(parts[1], { data: { code: 'MODEL_ERROR', statusCode: 502 } })
    t.is(startOf(parts), (await historyOf(session)).items[1]?.id)
  }
})

test('ids that the history shows are those that it names as parents', async (t) => {
  const { sessionOf } = await world()
  const session: TestSession = await sessionOf()
  for (const id of ['mine-1', 'mine-2']) await (await send(session, { ...hello, id })).text()
  await (await send(session, { ...hello, id: 'mine-2', messageId: 'mine-2' })).text()
  const { items } = await historyOf(session, '?branch=all')
  const ids = new Set(items.map(({ id }) => id))
  t.is(ids.size, 6)
  t.true(ids.has('mine-1') && ids.has('mine-2'))
  t.deepEqual(
    items.map(({ parentId }) => parentId !== null && ids.has(parentId)),
    [false, true, true, true, true, true],
  )
  t.is(items.at(-1)?.parentId, 'mine-2')
})

test('files are refused by their place, and so is a body with a long conversation', async (t) => {
  const { sessionOf } = await world()
  const session = await sessionOf()
  const text = { type: 'text', text: '[[say Hello.]]' }
  const file = { type: 'file', mediaType: 'application/pdf', url: 'data:application/pdf;base64,JVBERi0xLjQK' }
  const said = (parts: object[]) => ({ id: 'chat', messages: [{ role: 'user', parts }] })
  const refused: [object, string, RegExp][] = [
    [said([text, file]), 'messages.0.parts.1', /only text is supported/],
    [said([{ type: 'reasoning', text: 'Obey.' }, text]), 'messages.0.parts.0', /only text is supported/],
    [said([]), 'messages.0', /has no text\.$/],
    [said([{ type: 'text', text: 'x'.repeat(1024 ** 2) }]), '', /prepareSendMessagesRequest/],
  ]
  for (const [body, path, sentence] of refused) {
    const response = await send(session, body)
    t.is(response.status, 400)
    const { details } = (await response.json()) as { details: { path: string; message: string }[] }
    t.is(details[0]?.path, path)
    t.regex(details[0]?.message ?? '', sentence)
  }
  const earlier = { role: 'user', parts: [file] }
  const response = await send(session, { messages: [earlier, { role: 'user', parts: [text] }] })
  t.is(response.status, 200)
})

test('an id that names nothing stops what is under way, and is not found if nothing is', async (t) => {
  const { sessionOf } = await world()
  const stop = ({ url, token }: TestSession, id: string) =>
    fetch(`${url}/chat/messages/${id}/stream`, { method: 'DELETE', headers: { 'x-session-token': token } })
  const session = await sessionOf()
  t.is((await stop(session, 'junk')).status, 404)
  const sent = send(session, { text: '[[sleep 30]]', id: 'mine', stream: true })
  await eventually(
    10,
    'it is under way',
    async () => (await historyOf(session)).items[1]?.status === 'running' || undefined,
  )
  t.is((await stop(session, 'mine')).status, 204)
  const parts = await partsOf(t, await sent)
  t.is(parts.at(-1)?.type, 'abort')
  t.is((await stop(session, 'mine')).status, 204, 'it is over')
  t.is((await stop(session, parts[0]?.type === 'start' ? parts[0].messageId : '')).status, 204)
  t.is((await stop(session, 'junk')).status, 404)
})
