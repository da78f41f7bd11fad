import test from 'ava'
import { openSession, partsOf, send, textOf } from '../chat/stage.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { events, status, whole, type Act } from './failing-provider.ts'
import { sharedModels } from './shared-models.ts'
import { runOnce } from './stage-of-provider.ts'
import { chat, type WireCall } from './wire.ts'

/* Thoughts that stand among the words, and those that a server wants back. */

const tagged = { reasoningTag: 'think' }
const strictly = { returnsReasoning: true }
const stage = sharedModels(test, {
  chat: [
    ...['tagged', 'tagged-chat'].map((id) => ({ id, ...tagged })),
    ...['strict', 'strict-chat', 'strict-after'].map((id) => ({ id, ...strictly })),
  ],
  'chat-whole': [{ id: 'tagged-whole', ...tagged }],
})

const outputSchema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
/** As a server writes it whose template opens the tag. */
const written = 'Let me see. {"a":9}\n</think>\n\n{"a":1}'

/** In pieces of three characters, so that tags are torn. */
const [first = '', ...others] = written.match(/[^]{1,3}/g) ?? []
const inPieces = events([
  ...[first, ...others].flatMap((piece) => chat.begin(piece)),
  ...chat.end(),
  ...chat.usage(),
  ...chat.done(),
])

test('thoughts in a tag are no words of an answer, streamed or whole', async (t) => {
  const { provider, platform } = await stage()
  const someone = await customer(platform)
  provider.play('tagged', [inPieces])
  provider.play('tagged-whole', [whole(chat.whole({ content: written }))])
  for (const model of ['tagged', 'tagged-whole']) {
    const { run, steps } = await runOnce(someone, { model, outputSchema })
    t.like(run, { status: 'completed', steps: 1, output: { a: 1 } })
    t.is(steps[0]?.['text'], '{"a":1}')
  }
  provider.play('tagged-chat', [inPieces])
  const session = await openSession(someone, { model: 'tagged-chat' })
  t.is(textOf(await partsOf(t, await send(session, { text: 'Hello.', stream: true }))), '{"a":1}')
})

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

test('a server that wants reasoning back gets it with every message that has calls, whichever model wrote it', async (t) => {
  const { provider, platform, sites, play } = await stage()
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

  const other = play([events(chat.asking([echo('one')])), status(400)])
  provider.play('strict-after', [strict([events(chat.all('Done.'))])])
  const taken = await runOnce(someone, { model: other, fallbackModel: 'strict-after', ...given })
  t.like(taken.run, { status: 'completed', steps: 2 })
})
