import test from 'ava'
import { connectBadTools, customer } from '../../helpers/people.ts'
import { events } from '../failing-provider.ts'
import { sharedModels } from '../shared-models.ts'
import { theKey } from '../stage.ts'
import { runOnce } from '../stage-of-provider.ts'
import { chat } from '../wire.ts'

/* A model knows a secret, perhaps its own key, and says half of it in one part of its answer and half in the next. */

const [first, second] = [theKey.slice(0, 9), theKey.slice(9)]

const stage = sharedModels(test)

/** What a model says, with the reasoning that divides it. */
const inChat = [
  ...chat.begin(`The key is ${first}`),
  delta({ reasoning_content: 'hm' }),
  delta({ content: `${second}.` }),
]

function delta(said: object) {
  return { ...chat.begin()[0], choices: [{ index: 0, delta: said, finish_reason: null }] }
}

const block = (index: number, type: 'text' | 'thinking', words: string) => [
  { type: 'content_block_start', index, content_block: { type, [type]: '' } },
  { type: 'content_block_delta', index, delta: { type: `${type}_delta`, [type]: words } },
  ...(type === 'thinking'
    ? [{ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: 'abc' } }]
    : []),
  { type: 'content_block_stop', index },
]

const usage = { input_tokens: 10, output_tokens: 10 }
const inAnthropic = [
  {
    type: 'message_start',
    message: { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage },
  },
  ...block(0, 'text', `The key is ${first}`),
  ...block(1, 'thinking', 'hm'),
  ...block(2, 'text', `${second}.`),
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
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

const response = { id: 'r1', object: 'response', created_at: 1, model: 'm', status: 'completed', output: [], usage }
const inResponses = [
  { type: 'response.created', response: { ...response, usage: null, status: 'in_progress' } },
  ...item(0, `The key is ${first}`),
  ...item(1, `${second}.`),
  { type: 'response.completed', response },
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
