// @promise years
import test from 'ava'
import pLimit from 'p-limit'
import { adminOf } from '../helpers/admins.ts'
import { startPlatform } from '../helpers/platform.ts'
import { liveTwoYears } from '../money/two-years.ts'
import { seedOfRun } from '../money/seed.ts'
import { progressOf } from '../helpers/progress.ts'

/* A thousand accounts take some minutes: npm run long -- time-travel. `-- --seed=N` after it repeats a run. */

test('two years of 1,000 accounts are as an independent model says', async (t) => {
  t.timeout(90 * 60_000)
  const first = seedOfRun()
  t.log(`seeds from ${first}`)
  const now = new Date('2026-01-31T10:00:00.500Z')
  const platform = await startPlatform(t, { clock: { now: () => now }, env: { DATABASE_POOL: '12' } })
  const boss = await adminOf(platform)
  const turns = pLimit(6)
  const seeds = Array.from({ length: 1000 }, (_, index) => first + index)
  const onDone = progressOf('accounts', seeds.length, 25)
  const live = (seed: number) => liveTwoYears(t, { boss, seed, now }).finally(onDone)
  const steps = await Promise.all(seeds.map((seed) => turns(live, seed)))
  t.log(`${steps.reduce((sum, count) => sum + count, 0)} steps`)
})
