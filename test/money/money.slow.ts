// @promise money
import test from 'ava'
import { disturbMoney } from './disturbed.ts'

test('whatever is done with credits, in parallel and while processes are killed, the ledger adds up', async (t) => {
  const seed = 17
  const { problems, tally } = await disturbMoney(t, { seed, payers: 3, operations: 200, parallel: 6, kills: 2 })
  t.log(`seed ${seed}:`, [...tally].map(([what, times]) => `${times} × ${what}`).join(', '))
  t.deepEqual(problems, [], `seed ${seed}`)
})
