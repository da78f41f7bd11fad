import test from 'ava'
import * as runs from '../../api/runs.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { measured } from './record.ts'
import { busiest, lead, minutesOf, rush } from './shared-limit.ts'
import { openStage } from './stage.ts'

// The real numbers, 3 processes x 40 calls, take twelve minutes: npm run long:outgoing-limit
test('calls of two agents over three worker processes keep to ten a minute together, evenly, and the waits are on the timelines', async (t) => {
  const callsPerAgent = 10
  const {
    arrivals,
    runs: done,
    keys,
    waits,
    callers,
    someone,
  } = await rush(t, {
    limit: 10,
    callsPerAgent,
    workers: 3,
    patience: 150,
  })
  measured(t, `each minute: ${minutesOf(arrivals).join(' | ')}; ahead by ${lead(arrivals, callsPerAgent)}`)
  t.deepEqual(
    done.map(({ status }) => status),
    ['completed', 'completed'],
  )
  t.is(callers.length, 3, 'all three processes made calls')
  t.is(arrivals.length, 2 * callsPerAgent)
  t.is(new Set(keys).size, keys.length, 'each call came once')
  t.is(busiest(arrivals), 10)
  t.true(lead(arrivals, callsPerAgent) <= 5, `one was ahead by ${lead(arrivals, callsPerAgent)}`)
  for (const { started, ended } of waits) {
    t.true(started.length >= 1)
    t.is(started.length, ended.length)
    for (const data of started) t.like(data, { cause: 'rate_limit' })
    t.true(ended.reduce((sum, { ms }) => sum + Number(ms), 0) > 30_000, 'the run has waited most of a minute')
  }
  const { items } = (await call(someone, runs.listRuns)).body
  t.true(items.every(({ status }) => status === 'completed'))
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
