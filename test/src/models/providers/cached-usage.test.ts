import test from 'ava'
import { costOf } from '../../../../src/models/prices.ts'
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
