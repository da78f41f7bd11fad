import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as notifications from '../../api/notifications.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, deliver, ended, runOf, timelineOf, webhookAgent } from '../helpers/people.ts'
import { dataOf, waiting } from '../helpers/runs.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { courseOf, measured } from './record.ts'
import { busiest, minutesOf, rush, waitsOf } from './shared-limit.ts'
import { openStage } from './stage.ts'

/** A run of which a tool call that must not be repeated waits for a new token, and another run behind it. */
async function parkedRun(t: ExecutionContext, env: Record<string, string> = {}) {
  const stage = await openStage(t, { sites: true, env })
  const worker = await stage.startWorker()
  const someone = await customer(stage.platform)
  const entryId = await connectBadTools(someone, stage.sites)
  const replaceToken = async (token: string) =>
    t.is((await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })).status, 200)
  await replaceToken('bad-token')
  const agent = await webhookAgent(someone, {
    systemPrompt: '[[call slow_once {"seconds":0}]]',
    sites: [{ vaultEntryId: entryId }],
  })
  const { runId } = (await deliver(stage.platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(stage.platform, agent, { number: 2 })).body
  await waiting(someone, runId, 40)
  const reconnected = async () => {
    await replaceToken('good-token')
    return Date.now()
  }
  /** Both runs end as if nothing had happened, each call with one key, and each once with a good token. */
  async function goesOn(since: number): Promise<void> {
    for (const id of [runId, next]) {
      const run = await ended(someone, id, 60)
      measured(
        t,
        `${Date.now() - since} ms until a run had ended: ${courseOf(await timelineOf(someone, id)).join(', ')}`,
      )
      t.like(run, { status: 'completed', steps: 2 })
    }
    t.deepEqual(
      stage.sites.badTools.requests().map(({ idempotencyKey, status }) => [idempotencyKey, status]),
      [
        [`${runId}:1:0`, 401],
        [`${runId}:1:0`, 200],
        [`${next}:1:0`, 200],
      ],
    )
    t.is(dataOf(await timelineOf(someone, runId), 'wait.started').length, 1)
    t.is((await call(someone, notifications.listNotifications)).body.items.length, 1)
  }
  return { stage, worker, someone, runId, next, reconnected, goesOn }
}

test('a run that waits outlives a Temporal that is killed, and is resumed although its site was connected meanwhile', async (t) => {
  const temporal = await startOwnTemporal(t)
  const { someone, runId, reconnected, goesOn } = await parkedRun(t, { TEMPORAL_ADDRESS: temporal.address })
  await temporal.kill()
  await reconnected()
  await delay(2000)
  t.is((await runOf(someone, runId)).status, 'waiting')
  await temporal.start()
  await goesOn(Date.now())
})

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
