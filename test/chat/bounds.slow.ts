import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { measured } from '../crash/record.ts'
import { openStage } from '../crash/stage.ts'
import { longestStretch } from '../helpers/cpu-stretch.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, startFailingProvider } from '../models/failing-provider.ts'
import { modelsEnvironment } from '../models/stage.ts'
import { chat } from '../models/wire.ts'
import { flood, sendUnread } from './flood.ts'
import { fillSession } from './many-messages.ts'
import { historyOf, openSession, partsOf, send, textOf, typesOf, type TestSession } from './stage.ts'

const modes = ['cancel', 'continue'] as const
const MiB = 1024 ** 2
const contextTokens = 8000
/** A third of the window is left for the answer, and a token has four bytes at most, whatever the provider counts. */
const promptBytes = (contextTokens * 2 * 4) / 3

const stage = forWholeFile(test, 'bounds of chats', async (t) => {
  const provider = await startFailingProvider(t)
  const price = { input: 1, output: 2 }
  const models = [{ id: 'small', contextTokens, price }, ...['slow', 'flood', 'large'].map((id) => ({ id, price }))]
  const described = { name: 'scripted', kind: 'openai-compatible', baseUrl: provider.url, models }
  provider.play('small', [events(chat.all('I have read it.'))])
  provider.play('large', [events(chat.all('I have read it.'))])
  const env = { ...modelsEnvironment([described]), STREAM_STALL_SECONDS: '1' }
  return { provider, ...(await openStage(t, { env })) }
})

/** Reads sixteen kibibytes in a millisecond at most. Fails if the answer is cut off. */
async function readSlowly(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of answer as AsyncIterable<Buffer>) {
    pieces.push(piece)
    await delay(Math.ceil(piece.length / (16 * 1024)))
  }
  return Buffer.concat(pieces).toString()
}

for (const onDisconnect of modes) {
  test.serial(`a slow reader gets every part, and holds nobody up for good (${onDisconnect})`, async (t) => {
    const { platform, provider } = await stage()
    provider.play('slow', [flood(5)])
    const session = await openSession(await customer(platform), { model: 'slow', onDisconnect })
    const parts = await partsOf(t, new Response(await readSlowly(await sendUnread(session))))
    t.is(textOf(parts).length, 5 * MiB)
    t.is(typesOf(parts).at(-1), 'finish')
  })
}

const readers = 15

/** What follows the first message; a long answer has a page of its own. */
const answerOf = async (session: TestSession) => (await historyOf(session, '?after=1')).items[0]

// @promise chat-readers
test.serial(
  'readers that stop reading are cut off, and their answers given up, before they fill the memory',
  async (t) => {
    const { platform, provider, startApi } = await stage()
    // Each of these answers costs hundreds of credits.
    const someone = await customer(platform, 'enterprise')
    const api = await startApi()
    const { url, pid } = api
    provider.play('flood', [flood(7)])
    const sessions = await Promise.all(Array.from({ length: readers }, () => openSession(someone, { model: 'flood' })))
    const megabytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    await send({ ...(await openSession(someone, { model: 'large' })), url }, { text: 'Hello.' })

    const idle = megabytes()
    let most = idle
    const sampling = setInterval(() => (most = Math.max(most, megabytes())), 50)
    // However the test ends, before the process does.
    t.teardown(() => clearInterval(sampling))
    const answers = await Promise.all(sessions.map((session) => sendUnread({ ...session, url })))
    await Promise.all(
      sessions.map(async (session) => {
        const answer = await eventually(20, 'the answer is given up', async () => {
          const shown = await answerOf(session)
          return shown?.status === 'failed' ? shown : undefined
        })
        t.like(answer, { parts: [], error: { code: 'STREAM_ABORTED', statusCode: 499 } })
      }),
    )
    clearInterval(sampling)
    measured(t, `${idle.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB`)
    t.true(most - idle < readers * 3 * 8, `${idle.toFixed(0)} MiB before, at most ${most.toFixed(0)} MiB`)
    for (const answer of answers) await torn(t, answer)
    await api.stop()
  },
)

/** The rest of a response does not end as it should. */
async function torn(t: ExecutionContext, answer: IncomingMessage): Promise<void> {
  let text = ''
  answer.setEncoding('utf8').on('data', (piece: string) => (text = piece))
  await new Promise<void>((resolve) => void (answer.closed ? resolve() : answer.once('close', resolve)))

  t.false(answer.complete)
  t.notRegex(text, /\[DONE\]/)
}

test.serial('an answer that goes on comes to its end, although its reader stops reading and is cut off', async (t) => {
  const { platform, provider } = await stage()
  provider.play('flood', [flood(7)])
  const session = await openSession(await customer(platform), { model: 'flood', onDisconnect: 'continue' })
  const answer = await sendUnread(session)
  await eventually(
    20,
    'the reader is cut off',
    () => platform.logs.some((line) => line.includes('reader stopped reading')) || undefined,
  )
  const shown = await eventually(20, 'the answer is complete', async () => {
    const found = await answerOf(session)
    return found?.status === 'completed' ? found : undefined
  })
  const [, text] = shown.parts as { type: string; text?: string }[]
  t.is(text?.text?.length, 7 * MiB)
  await torn(t, answer)
})

const count = 10_000

// @promise chat-bounds
test.serial(
  'ten thousand messages in a session are read to the end, and the next is answered soon, with a prompt that fits',
  async (t) => {
    const { platform, provider } = await stage()
    const session = await openSession(await customer(platform), { model: 'small' })
    await fillSession(platform, session, count)
    for (const id of ['first', 'second']) {
      const stretch = await longestStretch(async () => {
        const answer = await send(session, { text: 'And now?', id, stream: true })
        t.is(textOf(await partsOf(t, answer)), 'I have read it.')
      })
      measured(t, `${stretch.toFixed(0)} ms in one stretch for a message after ${count}`)
      t.true(stretch < 500, `${stretch} ms`)
    }
    const sent = provider.requestsOf('small').map(({ body }) => JSON.stringify(body))
    t.is(sent.length, 2)
    for (const text of sent) {
      t.true(text.length < promptBytes + 1000, `${text.length} bytes`)
      t.regex(text, new RegExp(`Answer ${count}"`))
    }
    t.is(await pagesOf(t, session, { from: 10_000, branch: 'all' }), 2 * count + 4)
    t.is(await pagesOf(t, session, { from: 19_000, branch: 'current' }), 2 * count + 4)
  },
)

/** Reads pages to the end, and that nothing is missing or comes twice; returns the last number. */
async function pagesOf(t: ExecutionContext, session: TestSession, { from, branch }: { from: number; branch: string }) {
  let after = from
  for (let more = true; more;) {
    const page = await historyOf(session, `?limit=100&branch=${branch}&after=${after}`)
    const numbers = page.items.map((item) => (item as unknown as { number: number }).number)
    const expected = Array.from({ length: numbers.length }, (_, index) => after + index + 1)
    if (numbers.length === 0 || numbers.join() !== expected.join())
      return t.fail(`after ${after} came ${numbers.join(', ')}`)
    after += numbers.length
    more = page.more
  }
  return after
}

test.serial('a page that names a hundred thousand messages that nobody knows is answered soon', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform), { model: 'small' })
  await fillSession(platform, session, count)
  const unknown = Array.from({ length: 90_000 }, () => ({ id: 'x' }))
  const last = { role: 'user', parts: [{ type: 'text', text: 'And now?' }] }
  const stretch = await longestStretch(async () => {
    const answer = await send(session, { messages: [...unknown, last] })
    t.is(textOf(await partsOf(t, answer)), 'I have read it.')
  })
  measured(t, `${stretch.toFixed(0)} ms in one stretch for a message with 90,000 ids`)
  t.true(stretch < 500, `${stretch} ms`)
})

test.serial('a session that is full refuses the next message and says so', async (t) => {
  const { platform } = await stage()
  const session = await openSession(await customer(platform), { model: 'small' })
  await platform.services.database('sessions').where({ id: session.id }).update({ lastNumber: 24_999 })
  const refused = await send(session, { text: 'And now?' })
  t.is(refused.status, 403)
  const body = (await refused.json()) as { code: string; error: string }
  t.is(body.code, 'FEATURE_LIMIT_REACHED')
  t.regex(body.error, /^This session has reached its limit of 25000 messages and answers\. Create a new session\./)
  t.deepEqual((await historyOf(session)).items, [])
})

const longest = 100_000

const plain = (text: string) => ({ text, stream: true })
const transported = (text: string) => ({ messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }] })

test.serial('a message of the maximum size is answered, and what is longer leaves nothing behind', async (t) => {
  const { platform, provider } = await stage()
  const someone = await customer(platform)
  const session = await openSession(someone, { model: 'large' })
  for (const [body, reason] of [
    [plain('y'.repeat(longest + 1)), /100000 characters/],
    [transported('y'.repeat(longest + 1)), /100000 characters/],
    [transported('z'.repeat(MiB)), /1048576 bytes|1 MiB/],
  ] as const) {
    const refused = await send(session, body)
    t.is(refused.status, 400)
    const told = (await refused.json()) as { code: string }
    t.is(told.code, 'VALIDATION_ERROR')
    t.regex(JSON.stringify(told), reason)
    t.deepEqual((await historyOf(session)).items, [])
  }
  for (const bodyOf of [plain, transported]) {
    const parts = await partsOf(t, await send(session, bodyOf('é'.repeat(longest))))
    t.is(typesOf(parts).at(-1), 'finish')
    const message = (await historyOf(session)).items.at(-2) as { parts: { text?: string }[] } | undefined
    t.is(message?.parts[0]?.text?.length, longest)
  }
  const narrow = await openSession(someone, { model: 'small' })
  const asked = provider.requestsOf('small').length
  const refused = await send(narrow, { text: 'y'.repeat(longest) })
  t.is(refused.status, 502, 'it does not fit into the window of its model')
  t.like(await refused.json(), { code: 'MODEL_ERROR' })
  t.is(provider.requestsOf('small').length, asked)
})
