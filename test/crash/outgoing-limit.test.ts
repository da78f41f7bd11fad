import test from 'ava'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, ended } from '../helpers/people.ts'
import { waiting } from '../helpers/runs.ts'
import { measured } from './record.ts'
import { busiest, minutesOf, rush, waitsOf } from './shared-limit.ts'
import { openStage } from './stage.ts'

// The real numbers, 3 processes x 40 calls, take twelve minutes: npm run long:outgoing-limit
test('two agents over three worker processes share what a host takes in a minute, and their waits are on the timelines', async (t) => {
  const { someone, ids, arrivals, callers } = await rush(t, { limit: 10, calls: [12, 5], workers: 3, before: 10 })
  const [first = '', second = ''] = ids
  const run = await ended(someone, second, 100)
  t.is(run.status, 'completed')
  const ofAgent = (index: number) => arrivals().filter(({ agent }) => agent === index)
  await eventually(20, 'the first agent has had its half, too', () => ofAgent(0).length >= 5 || undefined)
  const seen = arrivals()
  const direct = Math.min(...seen.map(({ at }) => at))
  const list = seen.map(({ at, agent }) => `${['direct', 'first', 'second'][agent + 1]} ${(at - direct) / 1000}`)
  measured(t, `who came when: ${list.join(', ')}`)
  t.is(busiest(seen), 10)
  t.is(new Set(seen.map(({ key }) => key)).size, seen.length, 'each call came once')
  // The first one asked for more, and before the second one.
  t.deepEqual(minutesOf(seen), [[5, 5]])
  // Which of the three gets how many is for Temporal to say.
  t.true((await callers()).length >= 2, 'several processes made calls')
  t.like(await waiting(someone, first), { waitingCause: 'rate_limit', toolCalls: 12 })
  for (const [index, runId] of ids.entries()) {
    const { started, ended: over, ms } = await waitsOf(someone, runId)
    t.like(started[0], { cause: 'rate_limit', calls: index === 0 ? 12 : 5 })
    t.is(started.length - over.length, index === 0 ? 1 : 0)
    t.true(ms > 40_000 && ms < 80_000, `it waited for ${ms} ms`)
  }
})

test('the eleventh direct call within a minute is refused, over two API processes as over one, and says when to come back', async (t) => {
  const stage = await openStage(t, { sites: true, env: { OUTGOING_PER_MINUTE: '10' } })
  const other = await stage.startApi()
  const someone = await customer(stage.platform)
  const entryId = await connectBadTools(someone, stage.sites)
  const ask = (url: string) =>
    call({ ...someone, url }, vault.callTool, { params: { entryId, toolName: 'echo_text' }, body: { text: 'hello' } })
  for (let number = 0; number < 10; number += 1) {
    t.is((await ask(number % 2 === 0 ? other.url : someone.url)).status, 200)
  }
  for (const url of [other.url, someone.url]) {
    const { failure, headers } = await ask(url)
    t.like(failure, { code: 'OUTGOING_RATE_LIMITED', statusCode: 429 })
    const seconds = Number(headers.get('retry-after'))
    t.true(seconds >= 1 && seconds <= 61, `Retry-After is ${headers.get('retry-after')}`)
    t.true(failure.error.includes(`${seconds} seconds`))
  }
  t.is(stage.sites.badTools.requests().length, 10)
})
