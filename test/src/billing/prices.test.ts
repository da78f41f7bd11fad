import test from 'ava'
import { costWith, stepCredits } from '../../../src/billing/prices.ts'

test('without a price, a step costs a credit for 10,000 tokens begun, a token that the model wrote counting four times', (t) => {
  const costs: [inputTokens: number, outputTokens: number, credits: number][] = [
    [0, 0, 1],
    [10_000, 0, 1],
    [10_001, 0, 2],
    [0, 2500, 1],
    [0, 2501, 2],
    [9000, 1000, 2],
  ]
  for (const [inputTokens, outputTokens, credits] of costs) {
    const used = { inputTokens, outputTokens, nanoUsd: undefined }
    t.is(stepCredits(used, 0.004), credits, `${inputTokens} read, ${outputTokens} written`)
    t.is(stepCredits({ ...used, nanoUsd: 0 }, 0.004), credits, 'of a model that costs nothing')
  }
})

test('a step costs as many credits as its price begins, and at least one', (t) => {
  const costs: [usd: number, creditUsd: number, credits: number][] = [
    [0.004, 0.004, 1],
    [0.004_000_001, 0.004, 2],
    [0.1, 0.004, 25],
    [0.1, 0.01, 10],
  ]
  for (const [usd, creditUsd, credits] of costs) {
    const used = { inputTokens: 1_000_000, outputTokens: 0, nanoUsd: Math.round(usd * 1e9) }
    t.is(stepCredits(used, creditUsd), credits, `${usd} USD, ${creditUsd} a credit`)
  }
})

test('the cost of calls is their sum, and unknown for ever if that of one is', (t) => {
  t.is(costWith(0, { nanoUsd: 5 }), 5)
  t.is(costWith(5, { nanoUsd: 0 }), 5)
  t.is(costWith(5, undefined), null)
  t.is(costWith(null, { nanoUsd: 5 }), null)
})
