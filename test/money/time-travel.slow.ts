// @promise years
import test from 'ava'
import { adminOf } from '../helpers/admins.ts'
import { startPlatform } from '../helpers/platform.ts'
import { liveTwoYears } from './two-years.ts'

test('two years of renewals, changes, failures and recoveries are as an independent model says', async (t) => {
  const now = new Date('2026-01-31T10:00:00.500Z')
  const platform = await startPlatform(t, { clock: { now: () => now } })
  const boss = await adminOf(platform)
  for (const seed of [1, 2, 3, 4, 5, 6]) await liveTwoYears(t, { boss, seed, now })
})
