import test from 'ava'
import { costOf } from '../../../../src/models/prices.ts'
import { createStatedUsage } from '../../../../src/models/stated-usage.ts'
import { anthropic, framed, kindOf, responses, wholeAnswers } from '../../../models/wire.ts'
import { stepOf } from './answered.ts'

/* Tokens from the cache of a provider, and those put into it, have prices of their own. */

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }

/** What each provider says of the same answer: 1,000 tokens read, 400 of them from its cache. */
const usages = {
  anthropic: { input_tokens: 500, cache_read_input_tokens: 400, cache_creation_input_tokens: 100, output_tokens: 50 },
  responses: {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 400 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 1050,
  },
}
const expected = {
  anthropic: { cacheWriteTokens: 100, usd: (500 * 3 + 400 * 0.3 + 100 * 3.75 + 50 * 15) / 1e6 },
  responses: { cacheWriteTokens: 0, usd: (600 * 3 + 400 * 0.3 + 50 * 15) / 1e6 },
}

/** Replaces the usage of an answer of the wire, wherever it stands. */
const withUsage = (json: string, usage: object): string =>
  JSON.stringify(JSON.parse(json), (name, value: unknown) => (name === 'usage' && value ? usage : value))

for (const protocol of ['anthropic', 'responses'] as const) {
  test(`tokens of the cache are counted and priced apart, whole and streamed (${protocol})`, async (t) => {
    const kind = kindOf[protocol]
    const usage = usages[protocol]
    const events = { anthropic: anthropic.all(), responses: responses.all() }[protocol]
    const texts = {
      false: withUsage(wholeAnswers[protocol](), usage),
      true: events.map((event) => framed(JSON.parse(withUsage(JSON.stringify(event), usage)) as object)).join(''),
    }
    for (const stream of [false, true]) {
      const answer = await stepOf(() => new Response(texts[`${stream}`]), { kind, stream })
      const { cacheWriteTokens, usd } = expected[protocol]
      t.like(answer, { inputTokens: 1000, cachedTokens: 400, cacheWriteTokens, outputTokens: 50 })
      const model = { name: 'm', id: 'm', provider: 'one', price }
      const cost = await costOf({ model, provider: { name: 'one', kind, concurrency: 1 } }, answer, new Date())
      t.is(cost?.nanoUsd, Math.round(usd * 1e9))
    }
  })
}

const { output_tokens: _, ...begun } = usages.anthropic
/** What each protocol has said of that answer, event by event, when it breaks off. */
const saidBefore: [protocol: string, cacheWriteTokens: number, events: object[]][] = [
  [
    'chat',
    0,
    [{ usage: { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 400 } } }],
  ],
  ['anthropic', 100, [{ message: { usage: { ...begun, output_tokens: 1 } } }, { usage: { output_tokens: 50 } }]],
  ['responses', 0, [{ response: { usage: null } }, { response: { usage: usages.responses } }]],
  [
    'google',
    0,
    [
      { usageMetadata: { promptTokenCount: 1000, cachedContentTokenCount: 400 } },
      { usageMetadata: { candidatesTokenCount: 30, thoughtsTokenCount: 20 } },
    ],
  ],
  [
    'bedrock',
    100,
    [
      {
        metadata: {
          usage: { inputTokens: 500, outputTokens: 50, cacheReadInputTokens: 400, cacheWriteInputTokens: 100 },
        },
      },
    ],
  ],
]

test('an answer that breaks off has used what its provider has said by then, and at least what was written since', (t) => {
  for (const [protocol, cacheWriteTokens, events] of saidBefore) {
    const stated = createStatedUsage()
    for (const rawValue of events) stated.note({ type: 'raw', rawValue })
    const used = { inputTokens: 1000, cachedTokens: 400, cacheWriteTokens, outputTokens: 50 }
    t.deepEqual(stated.usage(), used, protocol)
    stated.note({ type: 'text-delta', id: '1', delta: 'x'.repeat(240) })
    t.deepEqual(
      stated.soFar(() => 0),
      { ...used, outputTokens: 60 },
      protocol,
    )
  }
})

test('a prompt that is longer than usual costs what its provider takes for such, and all of its tokens do', async (t) => {
  const model = { name: 'm', id: 'gemini-2.5-pro', provider: 'one' }
  const provider = { name: 'one', kind: 'google', concurrency: 1 } as const
  const rest = { cachedTokens: 100_000, cacheWriteTokens: 0, outputTokens: 1000 }
  for (const [inputTokens, price] of [
    [200_000, { input: 1.25, cacheRead: 0.125, output: 10 }],
    [200_001, { input: 2.5, cacheRead: 0.25, output: 15 }],
  ] as const) {
    const cost = await costOf({ model, provider }, { inputTokens, ...rest }, new Date('2026-11-26'))
    t.like(cost?.price, { source: 'genai-prices', ...price })
    const fresh = inputTokens - rest.cachedTokens
    const usdPerMillion = fresh * price.input + rest.cachedTokens * price.cacheRead + 1000 * price.output
    t.is(cost?.nanoUsd, Math.round(usdPerMillion * 1000))
  }
})
