import test from 'ava'
import { connectBadTools, customer } from '../../helpers/people.ts'
import { events } from '../failing-provider.ts'
import { sharedModels } from '../shared-models.ts'
import { theKey } from '../stage.ts'
import { runOnce } from '../stage-of-provider.ts'
import { anthropic, chat, responses } from '../wire.ts'

/* A model knows a secret, perhaps its own key, and says half of it in one part of its answer and half in the next. */

const [first, second] = [theKey.slice(0, 9), theKey.slice(9)]

const stage = sharedModels(test)

/** What a model says, with the reasoning that divides it. */
const inChat = [...chat.begin(`The key is ${first}`), ...chat.thinking('hm'), ...chat.begin(`${second}.`)]

const block = (index: number, type: 'text' | 'thinking', words: string) => [
  { type: 'content_block_start', index, content_block: { type, [type]: '' } },
  { type: 'content_block_delta', index, delta: { type: `${type}_delta`, [type]: words } },
  ...(type === 'thinking'
    ? [{ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: 'abc' } }]
    : []),
  { type: 'content_block_stop', index },
]

const [begun] = anthropic.begin()
const inAnthropic = [
  begun!,
  ...block(0, 'text', `The key is ${first}`),
  ...block(1, 'thinking', 'hm'),
  ...block(2, 'text', `${second}.`),
  ...anthropic.end().slice(1),
  ...anthropic.stop(),
]

const item = (index: number, words: string) => {
  const id = `msg_${index}`
  const message = { id, type: 'message', status: 'completed', role: 'assistant' }
  const content = [{ type: 'output_text', text: words, annotations: [] }]
  const place = { output_index: index, content_index: 0, item_id: id }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...message, content: [] } },
    { type: 'response.output_text.delta', ...place, delta: words },
    { type: 'response.output_item.done', output_index: index, item: { ...message, content } },
  ]
}

const [created] = responses.begin()
const inResponses = [
  created!,
  ...item(0, `The key is ${first}`),
  ...item(1, `${second}.`),
  ...responses.end().slice(1),
].map((event, index) => ({ ...event, sequence_number: index }))

for (const [asked, said] of [
  ['anthropic', inAnthropic],
  ['responses', inResponses],
] as const) {
  test(`a secret that is divided over the parts of an answer is hidden (${asked})`, async (t) => {
    const { platform, play } = await stage()
    const model = play([events([...said])], asked)
    const { run, timeline } = await runOnce(await customer(platform), { model })
    t.like(run, { status: 'completed', answer: 'The key is [token].' })
    t.false(JSON.stringify([run, timeline]).includes(second))
  })
}

test('a secret that is divided over the parts of an answer is hidden, also from the next request (chat)', async (t) => {
  const { platform, provider, sites, play } = await stage()
  const someone = await customer(platform)
  const call = { id: 'c1', name: 'echo_text', arguments: '{"text":"one"}' }
  const model = play([events([...inChat, ...chat.asking([call])]), events(chat.all('Done.'))])
  const vaultEntryId = await connectBadTools(someone, sites)
  const { run, timeline, steps } = await runOnce(someone, { model, sites: [{ vaultEntryId }] })
  t.like(run, { status: 'completed', steps: 2 })
  t.is(steps[0]?.['text'], 'The key is [token].')
  const next = JSON.stringify(provider.requestsOf(model)[1]?.body)
  t.true(next.includes('The key is [token].'))
  t.false(JSON.stringify([run, timeline, next]).includes(second))
})
