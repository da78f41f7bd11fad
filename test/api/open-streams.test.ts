import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { createOpenStreams } from '../../api/streams/open-streams.ts'
import { createAllowances } from '../../src/billing/allowances.ts'
import type { TierName } from '../../src/billing/tiers.ts'
import { CodedError, isCoded } from '../../src/errors.ts'
import { createLogger } from '../../src/logger.ts'
import { testConfig } from '../helpers/config.ts'
import { eventually } from '../helpers/eventually.ts'

function open(limit = 10, { checkSeconds = 0.02, latest = (): number | Promise<number> => 0, awayMs = 20_000 } = {}) {
  const stopping = new AbortController()
  const streams = { pollMs: 10, keepAliveSeconds: 1, checkSeconds, stallSeconds: 1, limit }
  const logger = createLogger('silent', 'test')
  const accessChanges = { latest: async () => latest() }
  const given = { config: { streams }, logger, accessChanges, stopping: stopping.signal, awayMs }
  return { stopping, ...createOpenStreams(given) }
}

const { of: allowanceOf } = createAllowances({ config: testConfig('postgres://unused') })

/** A stream whose caller is admitted unless the check throws, and how it was ended. */
function streamOf(key: string, admit: () => Promise<void>, party = 'somebody', tier: TierName = 'enterprise') {
  const ends: (CodedError | undefined)[] = []
  return {
    ends,
    stream: { key, party, allowance: allowanceOf({ tier }), admit, end: (cause?: CodedError) => void ends.push(cause) },
  }
}

test('a stream is ended when its caller may not have it any more, with the reason, and so are all that are alike', async (t) => {
  const { enter } = open()
  let checks = 0
  const refuse = () => Promise.reject(new CodedError('TOKEN_EXPIRED'))
  const admit = async () => void (checks += 1)
  const [one, alike, other] = [streamOf('a', refuse), streamOf('a', refuse), streamOf('b', admit)]
  for (const { stream } of [one, alike, other]) t.teardown(enter(stream))
  await eventually(5, 'both end', () => (one.ends[0] && alike.ends[0] ? true : undefined))
  t.true(isCoded(one.ends[0], 'TOKEN_EXPIRED'))
  await eventually(5, 'the other is checked again and again', () => (checks > 1 ? true : undefined))
  t.deepEqual(other.ends, [])
})

test('who has lost it before anything was known here is found by the first look, and all others after a change', async (t) => {
  let latest = 7
  let checks = 0
  const { enter } = open(10, { checkSeconds: 600, latest: () => latest })
  const refused = streamOf('a', () => Promise.reject(new CodedError('TOKEN_REVOKED')))
  const kept = streamOf('b', async () => void (checks += 1))
  for (const { stream } of [refused, kept]) t.teardown(enter(stream))
  await eventually(5, 'it ends', () => refused.ends[0])
  t.true(isCoded(refused.ends[0], 'TOKEN_REVOKED'))
  const later = streamOf('c', () => Promise.reject(new CodedError('TOKEN_REVOKED')))
  t.teardown(enter(later.stream))
  await eventually(5, 'so does one that is opened later', () => later.ends[0])
  t.is(checks, 1, 'nobody is checked again without a change')
  latest += 1
  await eventually(5, 'a change is noticed', () => checks === 2 || undefined)
})

test('looks take a quarter of the time at most, however often somebody loses access', async (t) => {
  let latest = 0
  const began: number[] = []
  const { enter } = open(10, { checkSeconds: 600, latest: () => (latest += 1) })
  const { stream } = streamOf('a', async () => {
    began.push(performance.now())
    await delay(400)
  })
  t.teardown(enter(stream))
  const [first = 0, second = 0] = await eventually(10, 'it is looked at twice', () =>
    began.length > 1 ? began : undefined,
  )
  t.true(second - first >= 1500, `${second - first} ms`)
})

test('a stream goes on while it cannot be checked', async (t) => {
  const { enter } = open()
  let checks = 0
  const { ends, stream } = streamOf('a', () => {
    checks += 1
    return Promise.reject(checks % 2 === 0 ? new Error('the database is away') : new CodedError('INTERNAL_ERROR'))
  })
  t.teardown(enter(stream))
  await eventually(5, 'it is checked several times', () => (checks > 3 ? true : undefined))
  t.deepEqual(ends, [])
})

// @promise neighbours
test('all streams end in a process that cannot reach its database for long, because another one may', async (t) => {
  const failing = () => Promise.reject(new Error('the database is away'))
  const silent = () => new Promise<number>(() => undefined)
  for (const latest of [failing, silent]) {
    const { enter } = open(10, { checkSeconds: 600, latest, awayMs: 100 })
    const { ends, stream } = streamOf('a', async () => undefined)
    t.teardown(enter(stream))
    await eventually(10, 'it ends', () => ends.length > 0 || undefined)
    t.is(ends[0], undefined, 'without an error, so that its reader reconnects')
  }
})

test('so does one that is opened while a process still waits for its database', async (t) => {
  let asked = 0
  const latest = () => {
    asked += 1
    return new Promise<number>(() => undefined)
  }
  const { enter } = open(10, { checkSeconds: 600, latest, awayMs: 100 })
  const leave = enter(streamOf('a', async () => undefined).stream)
  await eventually(10, 'it looks', () => asked || undefined)
  leave()
  const { ends, stream } = streamOf('b', async () => undefined)
  t.teardown(enter(stream))
  await eventually(10, 'it ends', () => ends.length > 0 || undefined)
  t.is(asked, 1)
})

test('there are as many streams as are allowed, and all end with the process', (t) => {
  const { enter, stopping } = open(1)
  const { ends, stream } = streamOf('a', async () => undefined)
  const leave = enter(stream)
  t.true(
    isCoded(
      t.throws(() => enter(stream)),
      'RATE_LIMITED',
    ),
  )
  leave()
  t.teardown(enter(stream))
  stopping.abort()
  t.is(ends.length, 1)
})

test('a reader who opens all that he may leaves room for others, and gets it back with what he closes', (t) => {
  const { enter } = open(100)
  const fill = (party: string, tier: TierName) => {
    const leaves: (() => void)[] = []
    while (leaves.length < 200) {
      try {
        leaves.push(enter(streamOf('a', async () => undefined, party, tier).stream))
      } catch (error) {
        if (!isCoded(error, 'RATE_LIMITED')) throw error
        t.regex(error.message, /Close one, or try again in 10 seconds\.$/)
        t.teardown(() => leaves.forEach((leave) => leave()))
        return leaves
      }
    }
    return leaves
  }
  const first = fill('first', 'enterprise')
  t.is(first.length, 50)
  t.is(fill('second', 'enterprise').length, 25)
  t.is(fill('free', 'free').length, 13, 'as many as are free')
  first[0]?.()
  first[0]?.()
  t.is(fill('third', 'free').length, 7)
})

test('a free account has thirty streams at most, however many are free', (t) => {
  const { enter } = open(1000)
  const streams = Array.from({ length: 31 }, () => streamOf('a', async () => undefined, 'free', 'free').stream)
  for (const stream of streams.slice(0, 30)) t.teardown(enter(stream))
  const refused = t.throws(() => enter(streams[30]!))
  t.true(isCoded(refused, 'RATE_LIMITED'))
  t.regex(refused.message, /^You have 30 open streams on this server, which is the limit for the free tier\./)
})
