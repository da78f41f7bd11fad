// @promise chat-ends
import test from 'ava'
import * as billing from '../../api/billing.ts'
import type { ChatPart } from '../../src/chat/parts.ts'
import { call } from '../helpers/client.ts'
import { read } from '../crash/answers/readers.ts'
import { eventually } from '../helpers/eventually.ts'
import { person } from '../helpers/people.ts'
import { events, status, type Act } from '../models/failing-provider.ts'
import { sharedModels } from '../models/shared-models.ts'
import { anthropic, chat, framed } from '../models/wire.ts'
import { historyOf, openSession, partsOf, send, textOf, typesOf } from './stage.ts'

/* What follows a failure is a table of the loop; here an answer meets each reason once. */

const stage = sharedModels(test)

const hello = events(anthropic.all('Hello from the other.'))
const useless = events(chat.all(''))

/** The model that the end of a stream names. */
const modelIn = (parts: ChatPart[]) => parts.find((part) => part.type === 'finish')?.messageMetadata.model

const reasons: [title: string, acts: Act[], asked: number, charges: number][] = [
  ['fails', [status(500)], 1, 1],
  ['fails in a way that cannot pass', [status(401)], 1, 1],
  ['fails after its provider has billed it', [events([...chat.begin(''), ...chat.usage()], 'reset')], 1, 2],
  ['refuses to answer', [events(chat.all('', 'content_filter'))], 1, 2],
  ['gives useless answers', [useless], 2, 3],
]

for (const [title, acts, asked, charges] of reasons) {
  test(`a session's fallback model goes on with an answer whose model ${title}`, async (t) => {
    const { provider, platform, play } = await stage()
    const someone = await person(platform)
    const [model, fallbackModel] = [play(acts), play([hello], 'anthropic')]
    const session = await openSession(someone, { model, fallbackModel })
    const parts = await partsOf(t, await send(session, { text: 'Hello.', stream: true }))
    t.is(textOf(parts), 'Hello from the other.')
    t.is(modelIn(parts), fallbackModel)
    t.is(provider.requestsOf(model).length, asked)
    t.is(provider.requestsOf(fallbackModel).length, 1)
    const { items } = await historyOf(session)
    t.like(items[1], { status: 'completed', metadata: { model: fallbackModel } })
    const { items: entries } = (await call(someone, billing.listLedger, {})).body
    const charged = entries.filter(({ kind }) => kind === 'chat_step')
    t.is(charged.length, charges)
    const credits = charged.reduce((sum, entry) => sum - entry.credits, 0)
    t.like(items[1], { metadata: { credits } })
    // The next answer asks the session's own model first.
    await send(session, { text: 'Again.', stream: true }).then((response) => response.text())
    t.true(provider.requestsOf(model).length > asked)
  })
}

test('an answer whose words were streamed fails, as the fallback model would begin it anew', async (t) => {
  const { provider, platform, play } = await stage()
  const [model, fallbackModel] = [play([events(chat.begin('I begin '), 'reset')]), play([hello], 'anthropic')]
  const session = await openSession(await person(platform), { model, fallbackModel })
  const parts = await partsOf(t, await send(session, { text: 'Hello.', stream: true }))
  t.is(textOf(parts), 'I begin ')
  t.deepEqual(typesOf(parts).slice(-2), ['data-error', 'error'])
  t.is(provider.requestsOf(fallbackModel).length, 0)
})

test('an answer whose models both fail ends with MODEL_ERROR', async (t) => {
  const { provider, platform, play } = await stage()
  const [model, fallbackModel] = [play([status(400)]), play([status(403)], 'anthropic')]
  const session = await openSession(await person(platform), { model, fallbackModel })
  const response = await send(session, { text: 'Hello.', stream: true })
  t.is(response.status, 502)
  t.regex(await response.text(), /rejected the platform's credentials/)
  for (const one of [model, fallbackModel]) t.is(provider.requestsOf(one).length, 1)
})

test('a model that is known to be out is not asked if there is a fallback model', async (t) => {
  const { provider, platform, play } = await stage()
  const [model, fallbackModel] = [play([status(500)]), play([hello], 'anthropic')]
  provider.setOut(model, true)
  t.true(await platform.services.outages.isOut(model))
  const session = await openSession(await person(platform), { model, fallbackModel })
  const response = await send(session, { text: 'Hello.', stream: true })
  t.is(textOf(await partsOf(t, response)), 'Hello from the other.')
  t.deepEqual(provider.requestsOf(model), [])
})

for (const onDisconnect of ['cancel', 'continue']) {
  test(`readers get every word after an answer of blanks that was corrected, in parts that begin and end (${onDisconnect})`, async (t) => {
    const { platform, play } = await stage()
    const [blanksRead, wordsRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const model = play([slowly(['\n\n  '], blanksRead.promise), slowly(['Here ', 'I am.'], wordsRead.promise)])
    const session = await openSession(await person(platform), { model, onDisconnect })
    const reader = read(send(session, { text: 'Hello.', stream: true }))
    await eventually(20, 'the blanks are read', () => reader.words() !== '' || undefined)
    blanksRead.resolve()
    await eventually(20, 'the first words are read', () => reader.words().trim() !== '' || undefined)
    wordsRead.resolve()
    await reader.ended
    t.is(reader.words().trim(), 'Here I am.')
    const parts = reader.parts().filter((part) => part.type.startsWith('text-') || part.type.endsWith('-step'))
    const step = ['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step']
    t.deepEqual(typesOf(parts.filter(isNotRepeated)), [...step, ...step])
  })
}

/** Deltas of one text may come in several parts. */
const isNotRepeated = ({ type }: ChatPart, index: number, parts: ChatPart[]) => type !== parts[index - 1]?.type

/** Streams the words, all but the end of the answer before the promise is kept. */
const slowly =
  (words: string[], until: Promise<void>): Act =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const [first = '', ...rest] = words
    for (const event of chat.begin(first)) response.write(framed(event))
    await until
    for (const word of rest) for (const event of chat.begin(word)) response.write(framed(event))
    for (const event of [...chat.end(), ...chat.usage(), ...chat.done()]) response.write(framed(event))
    response.end()
  }
