import test from 'ava'
import { assertWithin } from '../../../src/chat/budgets.ts'

const budgets = { steps: 3, toolCalls: 2, tokens: 100, credits: 5, waitSeconds: 1 } as Parameters<
  typeof assertWithin
>[1]
const full = { steps: 3, toolCalls: 2, inputTokens: 60, outputTokens: 40, credits: 5 }

const rows: [used: Partial<typeof full>, sentence: RegExp][] = [
  [{ steps: 4 }, /the limit of 3 steps for an answer/],
  [{ toolCalls: 3 }, /the limit of 2 tool calls/],
  [{ inputTokens: 61 }, /the limit of 100 tokens/],
  [{ outputTokens: 41 }, /the limit of 100 tokens/],
  [{ credits: 6 }, /the limit of 5 credits/],
]

test('an answer may use its budgets up, and nothing beyond one of them', (t) => {
  t.notThrows(() => assertWithin(full, budgets))
  for (const [more, message] of rows) t.throws(() => assertWithin({ ...full, ...more }, budgets), { message })
  t.throws(() => assertWithin(full, budgets, 4), { message: /3 steps/ }, 'the next step counts before it is made')
})
