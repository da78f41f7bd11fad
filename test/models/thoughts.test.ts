import test from 'ava'
import { openSession, partsOf, send, textOf } from '../chat/stage.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events, status, whole, type Act } from './failing-provider.ts'
import { openModels } from './stage.ts'
import { startFailingProvider } from './failing-provider.ts'
import { runOnce } from './stage-of-provider.ts'
import { chat, type WireCall } from './wire.ts'

/* Thoughts that stand among the words, and those that a server wants back. */

const price = { input: 1, output: 2 }

const stage = forWholeFile(test, 'thoughts', async (t) => {
  const provider = await startFailingProvider(t)
  const models = [
    ...['tagged', 'tagged-chat'].map((id) => ({ id, reasoningTag: 'think', price })),
    { id: 'tagged-whole', reasoningTag: 'think', stream: false, price },
    ...['strict', 'strict-chat', 'strict-after'].map((id) => ({ id, returnsReasoning: true, price })),
    { id: 'first', price },
  ]
  const opened = await openModels(t, [{ name: 'p', kind: 'openai-compatible', baseUrl: provider.url, models }])
  return { provider, ...opened }
})

const outputSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
/** As a model writes it, and as a server writes it whose template opens the tag. */
const written = ['<think>Let me see. {"a":9}</think>\n\n{"a":1}', 'Let me see. {"a":9}\n</think>\n\n{"a":1}']

/** In pieces of three characters, so that tags are torn. */
const inPieces = (text: string) => {
  const [first = '', ...pieces] = text.match(/[^]{1,3}/g) ?? []
  const begun = chat.begin(first)
  return [...begun, ...pieces.flatMap((piece) => chat.begin(piece)), ...chat.end(), ...chat.usage(), ...chat.done()]
}

for (const [index, text] of written.entries()) {
  test.serial(`thoughts in a tag are no words of an answer, streamed or whole (${index})`, async (t) => {
    const { provider, platform } = await stage()
    const someone = await customer(platform)
    provider.play('tagged', [events(inPieces(text))])
    provider.play('tagged-whole', [whole(chat.whole({ content: text }))])
    for (const model of ['tagged', 'tagged-whole']) {
      const { run, steps } = await runOnce(someone, { model, outputSchema })
      t.like(run, { status: 'completed', steps: 1, output: { a: 1 } })
      t.is(steps[0]?.['text'], '{"a":1}')
    }
    provider.play('tagged-chat', [events(inPieces(text))])
    const session = await openSession(someone, { model: 'tagged-chat' })
    t.is(textOf(await partsOf(t, await send(session, { text: 'Hello.', stream: true }))), '{"a":1}')
  })
}

const echo = (id: string): WireCall => ({ id, name: 'echo_text', arguments: `{"text":"${id}"}` })

/** Refuses a request in which a message with calls has no reasoning, as DeepSeek's server does. */
const strict =
  (acts: Act[]): Act =>
  (response, request) => {
    const messages = request.body['messages'] as { tool_calls?: object[]; reasoning_content?: unknown }[]
    const lacks = messages.some((one) => one.tool_calls && typeof one.reasoning_content !== 'string')
    const body = '{"error":{"message":"Missing `reasoning_content` field in the assistant message at message index 2"}}'
    return (lacks ? status(400, {}, body) : (acts.shift() as Act))(response, request)
  }

test('a server that wants reasoning back gets it with every message that has calls, in runs and chats', async (t) => {
  const { provider, platform, sites } = await stage()
  const someone = await customer(platform)
  const given = { sites: [{ vaultEntryId: await connectBadTools(someone, sites) }] }
  const acts = () => [
    events([...chat.thinking('Hm.'), ...chat.asking([echo('one')])]),
    events(chat.asking([echo('two')])),
    events(chat.all('Done.')),
  ]
  provider.play('strict', [strict(acts())])
  const { run } = await runOnce(someone, { model: 'strict', ...given })
  t.like(run, { status: 'completed', steps: 3 })
  const last = provider.requestsOf('strict').at(-1)?.body['messages'] as { reasoning_content?: string }[]
  t.deepEqual(
    last.flatMap((one) => one.reasoning_content ?? []),
    ['Hm.', ''],
  )
  provider.play('strict-chat', [strict(acts())])
  const session = await openSession(someone, { model: 'strict-chat', ...given })
  t.is(textOf(await partsOf(t, await send(session, { text: 'Hello.', stream: true }))).trim(), 'Done.')
})

test('also with the messages of another model, whose place it takes', async (t) => {
  const { provider, platform, sites } = await stage()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  provider.play('first', [events(chat.asking([echo('one')])), status(400)])
  provider.play('strict-after', [strict([events(chat.all('Done.'))])])
  const { run } = await runOnce(someone, { model: 'first', fallbackModel: 'strict-after', sites: [{ vaultEntryId }] })
  t.like(run, { status: 'completed', steps: 2 })
})
