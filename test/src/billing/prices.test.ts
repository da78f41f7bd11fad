import test from 'ava'
import { stepCredits } from '../../../src/billing/prices.ts'

test('a step costs a credit for 10,000 tokens begun, a token that the model wrote counting four times', (t) => {
  const costs: [inputTokens: number, outputTokens: number, credits: number][] = [
    [0, 0, 1],
    [10_000, 0, 1],
    [10_001, 0, 2],
    [0, 2500, 1],
    [0, 2501, 2],
    [9000, 1000, 2],
  ]
  for (const [inputTokens, outputTokens, credits] of costs) {
    t.is(stepCredits({ inputTokens, outputTokens }), credits, `${inputTokens} read, ${outputTokens} written`)
  }
})
