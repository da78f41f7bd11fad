// @promise money
import test from 'ava'
import { disturbMoney } from '../money/disturbed.ts'
import { seedOfRun } from '../money/seed.ts'
import { progressOf } from '../helpers/progress.ts'

/* 10,000 operations take a quarter of an hour and more: npm run long -- money. `-- --seed=N` after it repeats a run. */

test('after 10,000 operations at random and 40 kills the ledger adds up', async (t) => {
  t.timeout(90 * 60_000)
  const seed = seedOfRun()
  t.log(`seed ${seed}`)
  const operations = 10_000
  const onDone = progressOf('operations', operations, 250)
  const plan = { seed, payers: 12, operations, parallel: 16, kills: 40, onDone }
  const { problems, tally, killed } = await disturbMoney(t, plan)
  t.log(`${killed} kills;`, [...tally].map(([what, times]) => `${times} × ${what}`).join(', '))
  t.deepEqual(problems, [], `seed ${seed}`)
})
