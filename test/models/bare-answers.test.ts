import test, { type ExecutionContext } from 'ava'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { price } from './contract.ts'
import { stringsIn, valuesOf } from './providers.ts'
import { startCanned, type Canned } from './servers/canned.ts'
import { openModels } from './stage.ts'

/** Answers of providers word for word, for what the mock cannot say. */

const openai = (output: object[], status = 'completed') => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  model: 'gpt-5-mini',
  status,
  ...(status === 'incomplete' && { incomplete_details: { reason: 'max_output_tokens' } }),
  output,
  usage: {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 1050,
  },
})
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'All done.', annotations: [] }],
}
const thoughtOf = (id: string) => ({ type: 'reasoning', id, encrypted_content: 'c2VhbGVk', summary: [] })

const usage = { input_tokens: 500, cache_read_input_tokens: 400, cache_creation_input_tokens: 100, output_tokens: 50 }
const anthropic = (content: object[], stop_reason = 'end_turn') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content,
  stop_reason,
  stop_sequence: null,
  usage,
})
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }

const openaiStream = [
  { type: 'response.created', response: { ...openai([], 'in_progress'), usage: null } },
  { type: 'response.output_item.added', output_index: 0, item: { ...said, content: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'All done.' },
  { type: 'response.output_item.done', output_index: 0, item: said },
  { type: 'response.completed', response: openai([said]) },
]
const anthropicStream = [
  { type: 'message_start', message: { ...anthropic([]), stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'All done.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 50 } },
  { type: 'message_stop' },
]

const servers: Record<string, { kind: string; stream: boolean; answers: Canned[] }> = {
  'openai-whole': { kind: 'openai', stream: false, answers: [{ json: openai([said]) }] },
  'openai-stream': { kind: 'openai', stream: true, answers: [{ events: openaiStream }] },
  'anthropic-whole': {
    kind: 'anthropic',
    stream: false,
    answers: [{ json: anthropic([{ type: 'text', text: 'All done.' }]) }],
  },
  'anthropic-stream': { kind: 'anthropic', stream: true, answers: [{ events: anthropicStream }] },
  'openai-thought': {
    kind: 'openai',
    stream: false,
    answers: [{ json: openai([thoughtOf('rs_1')], 'incomplete') }, { json: openai([thoughtOf('rs_2'), said]) }],
  },
  'anthropic-thought': {
    kind: 'anthropic',
    stream: false,
    answers: [
      { json: anthropic([thinking], 'max_tokens') },
      { json: anthropic([thinking, { type: 'text', text: 'All done.' }]) },
    ],
  },
}

const open = forWholeFile(test, 'bare answers', async (t) => {
  const all = await Promise.all(
    Object.entries(servers).map(async ([name, { kind, stream, answers }]) => {
      const { url, bodies } = await startCanned(t, answers)
      const models = [{ id: kind === 'openai' ? 'gpt-5-mini' : 'claude-sonnet-4-6', name, stream, price }]
      return { bodies, provider: { name, kind, baseUrl: `${url}/v1`, apiKeyEnv: 'THE_KEY', models } }
    }),
  )
  const { platform } = await openModels(
    t,
    all.map(({ provider }) => provider),
  )
  return { all, someone: await customer(platform, 'enterprise') }
})

async function carryOut(t: ExecutionContext, model: string) {
  const { all, someone } = await open()
  const agent = await agentOf(someone, { model })
  const { id } = (await start(someone, agent)).body
  const run = await ended(someone, id, 150)
  t.like(run, { status: 'completed', answer: 'All done.' })
  const one = all.find(({ provider }) => provider.name === model)
  return { run, timeline: await timelineOf(someone, id), bodies: one?.bodies ?? [] }
}

const usdOf = { openai: 600 * 3 + 400 * 0.3 + 50 * 15, anthropic: 500 * 3 + 400 * 0.3 + 100 * 3.75 + 50 * 15 }

for (const kind of ['openai', 'anthropic'] as const) {
  for (const how of ['whole', 'stream']) {
    test(`tokens from the cache, and those put into it, have their own prices (${kind}, ${how})`, async (t) => {
      const { run } = await carryOut(t, `${kind}-${how}`)
      t.like(run, { steps: 1, inputTokens: 1000, cachedTokens: 400, outputTokens: 50, costUsd: usdOf[kind] / 1e6 })
    })
  }

  test(`an answer of thoughts alone is corrected, and the thoughts that led to nothing do not go back (${kind})`, async (t) => {
    const { run, bodies, timeline } = await carryOut(t, `${kind}-thought`)
    t.is(run.steps, 2)
    t.is(dataOf(timeline, 'step.finished')[0]?.['text'], '')
    t.is(bodies.length, 2)
    t.true(stringsIn(bodies[1]).some((text) => text.startsWith('Your answer was cut off')))
    for (const member of ['encrypted_content', 'signature']) t.deepEqual(valuesOf(bodies[1], member), [])
    t.false(stringsIn(bodies[1]).includes('assistant'))
  })
}
