import test from 'ava'
import type { Database } from '../../src/database.ts'
import { isCoded } from '../../src/errors.ts'
import { createRateLimits } from '../../src/rate-limit.ts'

/** Each limit, and how much of it is allowed here: no two the same. */
const points = { caller: 2, auth: 3, browser: 4, webhook: 5, webhookFailed: 6 } as const

const config = {
  store: 'memory',
  callerPerMinute: points.caller,
  authPerMinute: points.auth,
  browserPerMinute: points.browser,
  webhookPerMinute: points.webhook,
  webhookFailedPerMinute: points.webhookFailed,
} as const

const limits = createRateLimits(config, undefined as unknown as Database)
const counted = Object.keys(limits).filter((name) => name !== 'purge') as (keyof typeof points)[]

test('every limit is looked at here', (t) => t.deepEqual(counted.toSorted(), Object.keys(points).toSorted()))

for (const name of counted) {
  test(`the limit "${name}" allows as many requests of one key as its own setting says`, async (t) => {
    for (let request = 1; request <= points[name]; request += 1) await limits[name]('one')
    const refused = await t.throwsAsync(limits[name]('one'))
    t.true(isCoded(refused, 'RATE_LIMITED'))
    await t.notThrowsAsync(limits[name]('another'))
  })
}
