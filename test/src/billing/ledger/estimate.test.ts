import test from 'ava'
import { estimateOf } from '../../../../src/billing/ledger/estimate.ts'

const estimates = [
  { credits: 0, steps: 0, held: 1 },
  { credits: 5, steps: 0, held: 1 },
  { credits: 3, steps: 3, held: 1 },
  { credits: 10, steps: 3, held: 4 },
]
for (const { held, ...used } of estimates)
  test(`after ${used.steps} steps for ${used.credits} credits, the next one holds ${held}`, (t) => {
    t.is(estimateOf(used), held)
  })
