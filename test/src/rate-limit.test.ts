import test, { type ExecutionContext } from 'ava'
import { createDatabase } from '../../src/database/database.ts'
import { isCoded } from '../../src/errors.ts'
import { createLogger } from '../../src/logger.ts'
import { createRateLimits } from '../../src/rate-limit.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { startPgBouncer } from '../helpers/pgbouncer.ts'
import { testWith } from '../helpers/programs.ts'

const limits = {
  store: 'postgres',
  callerPerMinute: 10,
  authPerMinute: 5,
  changesPerMinute: 5,
  changesPerDay: 7,
  recoveryPerHour: 3,
  triesPerHour: 3,
  browserPerMinute: 5,
  webhookPerMinute: 5,
  webhookFailedPerMinute: 5,
} as const

function connect(t: ExecutionContext, url: string) {
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
}

const openDatabase = async (t: ExecutionContext) => connect(t, (await createTestDatabase(t)).url)

async function assertCountedTogether(t: ExecutionContext, url: string): Promise<void> {
  const processes = [1, 2].map(() => createRateLimits({ database: connect(t, url), config: { rateLimits: limits } }))
  const asked = Array.from({ length: 15 }, () => processes.map(({ caller }) => caller('somebody'))).flat()
  const answers = await Promise.allSettled(asked)

  t.is(answers.filter(({ status }) => status === 'fulfilled').length, limits.callerPerMinute)
  for (const answer of answers) {
    if (answer.status === 'fulfilled') continue
    if (!isCoded(answer.reason, 'RATE_LIMITED')) throw answer.reason
    t.true((answer.reason.retryAfter ?? 0) >= 1 && (answer.reason.retryAfter ?? 0) <= 60)
  }
}

test('two processes that share Postgres count one limit together', async (t) => {
  await assertCountedTogether(t, (await createTestDatabase(t)).url)
})

testWith('pgbouncer')('limits count behind PgBouncer, where a session knows no statement of another', async (t) => {
  const { url } = await createTestDatabase(t)
  const ignored = 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout'
  await assertCountedTogether(t, await startPgBouncer(t, url, { ignored }))
})

test('limits count apart from each other, and each key for itself', async (t) => {
  const database = await openDatabase(t)
  const inMemory = { ...limits, store: 'memory', authPerMinute: 1 } as const
  const rateLimits = createRateLimits({ database, config: { rateLimits: inMemory } })

  await rateLimits.auth('192.0.2.1')
  await t.throwsAsync(rateLimits.auth('192.0.2.1'), { message: /1 requests a minute/ })
  await t.notThrowsAsync(rateLimits.auth('192.0.2.2'))
  await t.notThrowsAsync(rateLimits.webhook('192.0.2.1'))
})

test('addresses of one network count as one', async (t) => {
  const database = await openDatabase(t)
  const ones = { authPerMinute: 1, browserPerMinute: 1, recoveryPerHour: 1, webhookFailedPerMinute: 1 } as const
  const once = { ...ones, store: 'memory' } as const
  for (const [same, one, other] of [
    [true, '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    [false, '2001:db8:1:2::1', '2001:db8:1:3::1'],
    [false, '192.0.2.1', '192.0.2.2'],
    [true, '192.0.2.1', '::ffff:192.0.2.1'],
    [false, '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
    [true, 'unknown', 'unknown'],
  ] as const) {
    const rateLimits = createRateLimits({ database, config: { rateLimits: { ...limits, ...once } } })
    for (const count of [rateLimits.auth, rateLimits.browser, rateLimits.recovery, rateLimits.webhookFailed]) {
      await count(one)
      if (same) await t.throwsAsync(count(other), { code: 'RATE_LIMITED' }, other)
      else await t.notThrowsAsync(count(other), other)
    }
  }
})

test('windows that have ended are forgotten', async (t) => {
  const database = await openDatabase(t)
  const rateLimits = createRateLimits({ database, config: { rateLimits: limits } })
  await rateLimits.caller('somebody')

  await rateLimits.purge()
  t.is((await database('rate_limits')).length, 1)
  await rateLimits.purge(new Date(Date.now() + 61_000))
  t.is((await database('rate_limits')).length, 0)
})

test('changes of an account are counted for a minute and for a day, in Postgres, too', async (t) => {
  const database = await openDatabase(t)
  const rateLimits = createRateLimits({ database, config: { rateLimits: { ...limits, changesPerMinute: 9 } } })
  for (let made = 0; made < 7; made += 1) await rateLimits.change('somebody')
  const refused = await t.throwsAsync(rateLimits.change('somebody'), {
    message: /^This account has exceeded its limit of 7 changes a day/,
  })
  t.true(isCoded(refused, 'RATE_LIMITED') && (refused.retryAfter ?? 0) > 86_000)
  await t.notThrowsAsync(rateLimits.change('another'))
  const hasty = createRateLimits({ database, config: { rateLimits: { ...limits, changesPerMinute: 2 } } })
  await Promise.allSettled(Array.from({ length: 9 }, () => hasty.change('hasty')))
  const day = await database('rate_limits').where({ key: 'changes-of-day:hasty' }).first('points')
  t.like(day, { points: 2 }, 'what is refused for the minute is no change of the day')
})

test('tries that were given back or forgotten can be made again, and those of another count on', async (t) => {
  const database = await openDatabase(t)
  const { tries } = createRateLimits({ database, config: { rateLimits: limits } })
  const isRefused = (key: string) => t.throwsAsync(tries.take(key), { code: 'RATE_LIMITED' }, key)
  for (const key of ['one', 'another']) {
    for (let made = 0; made < limits.triesPerHour; made += 1) await tries.take(key)
    await isRefused(key)
  }
  // The one that was refused stays counted.
  for (let made = 0; made < limits.triesPerHour; made += 1) await tries.giveBack('one')
  for (let made = 1; made < limits.triesPerHour; made += 1) await tries.take('one')
  await isRefused('one')
  await tries.forget('one')
  await t.notThrowsAsync(tries.take('one'))
  await isRefused('another')
})
