// @promise budgets
import test from 'ava'
import { budgetError } from '../../../src/chat/budgets.ts'
import { exceededBudget, hasStepLeft, type Exceeded } from '../../../src/loop/budgets.ts'

const budgets = { steps: 3, toolCalls: 2, tokens: 100, credits: 5 }
const full = { steps: 3, toolCalls: 2, inputTokens: 60, outputTokens: 40, credits: 5 }
const same = (times: number) => Array.from({ length: times }, () => ({ name: 'look', arguments: '{}' }))

const rows: [more: Partial<typeof full>, calls: number, exceeded: Exceeded | undefined, sentence: RegExp][] = [
  [{}, 4, undefined, /^$/],
  [{ steps: 4 }, 0, undefined, /^$/],
  [{ toolCalls: 3 }, 0, 'BUDGET_TOOL_CALLS', /reached the limit of 2 tool calls for an answer/],
  [{ inputTokens: 61 }, 0, 'BUDGET_TOKENS', /the limit of 100 tokens/],
  [{ outputTokens: 41 }, 0, 'BUDGET_TOKENS', /the limit of 100 tokens/],
  [{ credits: 6 }, 0, 'BUDGET_CREDITS', /the limit of 5 credits/],
  [{}, 5, 'REPEATED_TOOL_CALL', /the same tool call 5 times in a row/],
  [{ toolCalls: 5, credits: 6 }, 5, 'REPEATED_TOOL_CALL', /5 times/],
]

test('a budget may be used up, and nothing beyond it is done; a chat answer says which one it was', (t) => {
  for (const [more, calls, exceeded, sentence] of rows) {
    const name = JSON.stringify(more)
    t.is(exceededBudget({ ...full, ...more }, same(calls), budgets), exceeded, name)
    if (exceeded) t.regex(budgetError(exceeded, budgets).message, sentence, name)
  }
})

test('the model is asked for as many steps as there may be', (t) => {
  t.true(hasStepLeft({ steps: 2 }, budgets))
  t.false(hasStepLeft({ steps: 3 }, budgets))
  t.like(budgetError('BUDGET_STEPS', budgets), { code: 'MODEL_ERROR', retryable: false })
  t.regex(budgetError('BUDGET_STEPS', budgets).message, /the limit of 3 steps/)
})
