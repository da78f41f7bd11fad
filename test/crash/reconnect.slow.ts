// @promise cut-off
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { deliver, webhookAgent } from '../helpers/people.ts'
import { temporalAddress } from '../helpers/temporal.ts'
import { openDoorTo } from '../helpers/door.ts'
import { measured } from './record.ts'
import { connected, openStage, type Stage } from './stage.ts'

/** Most agents make many short steps, and some have a step that takes longer than the test. It starts again each time. */
const busyCount = 8
const thinkingCount = 2
const agentCount = busyCount + thinkingCount
const deliveriesEach = 12
const cutMs = 5000
const [stallSeconds, reconcileSeconds] = [10, 5]

/** Eight short steps, whose calls differ, because identical ones in a row end a run. */
const busily = Array.from({ length: 8 }, (_, n) => `[[call slow_read {"seconds":${n / 1000}}]]`).join('[[then]]')

/** A worker behind a door, and agents that have more to do than the test takes. */
async function openTest(t: ExecutionContext) {
  const door = await openDoorTo(t, temporalAddress())
  const stage = await openStage(t, {
    sites: true,
    env: { STALL_SECONDS: String(stallSeconds), RECONCILE_SECONDS: String(reconcileSeconds) },
  })
  await stage.startWorker({ TEMPORAL_ADDRESS: door.address })
  const { someone, sites } = await connected(stage)
  const agentsOf = (count: number, systemPrompt: string) =>
    Promise.all(Array.from({ length: count }, () => webhookAgent(someone, { systemPrompt, sites })))
  const agents = [...(await agentsOf(busyCount, busily)), ...(await agentsOf(thinkingCount, '[[sleep 300]]'))]
  for (let number = 0; number < deliveriesEach; number += 1)
    await Promise.all(agents.map((agent) => deliver(stage.platform, agent, { number })))
  await untilAllGoOn(stage, new Date(0))
  return { door, stage }
}

/** When each agent began a step or a call for the first time after this. */
async function firstAfter({ platform }: Stage, since: Date): Promise<number[]> {
  const { rows } = await platform.services.database.raw<{ rows: { first: Date }[] }>(
    `select min(e.at) as first from run_events e join runs r on r.id = e.run_id
      where e.at > :since and e.kind in ('step.started', 'tool.started') group by r.agent_id`,
    { since },
  )
  return rows.map(({ first }) => first.getTime() - since.getTime())
}

const untilAllGoOn = (stage: Stage, since: Date) =>
  eventually(60, 'every agent goes on', async () => {
    const passed = await firstAfter(stage, since)
    return passed.length === agentCount ? passed : undefined
  })

/** Cuts the worker off five times. Returns how long each agent took to go on each time, in ms, from the slowest on. */
async function cutOff(
  t: ExecutionContext,
  stage: Stage,
  cut: { begin: () => Promise<void> | void; end: () => Promise<void> | void },
): Promise<number[]> {
  const all = []
  for (let time = 1; time <= 5; time += 1) {
    await cut.begin()
    await delay(cutMs)
    t.deepEqual(await firstAfter(stage, new Date(Date.now() - 1000)), [], 'everything stands still')
    await cut.end()
    const passed = (await untilAllGoOn(stage, new Date())).toSorted((a, b) => a - b)
    measured(t, `cut ${time}: ms until each agent goes on: ${passed.join(' ')}`)
    all.push(...passed)
    await delay(1000)
  }
  t.deepEqual(await stage.platform.services.database('runs').where({ status: 'failed' }).select('id', 'reason'), [])
  return all.toSorted((a, b) => b - a)
}

const inTime = (ms: number | undefined): boolean => ms !== undefined && ms <= 3000

test('a worker that is cut off from Temporal for 5 s, five times in a row, lets every agent go on within 3 s of each return', async (t) => {
  const { door, stage } = await openTest(t)
  const [slowest] = await cutOff(t, stage, { begin: door.cut, end: door.open })
  t.true(inTime(slowest), `${slowest} ms`)
})

test('if the network only drops what is sent, at most one of the fifty is later, and the reconciler restarts it', async (t) => {
  const { door, stage } = await openTest(t)
  const [slowest = 0, ...others] = await cutOff(t, stage, { begin: door.hold, end: door.open })
  t.true(inTime(others[0]), `${others[0]} ms`)
  t.true(slowest <= (stallSeconds + reconcileSeconds) * 1000, `${slowest} ms`)
})

test('a process whose connection was refused for 20 s reaches Temporal again within 2 s', async (t) => {
  const door = await openDoorTo(t, temporalAddress())
  const { platform } = await openStage(t, { env: { TEMPORAL_ADDRESS: door.address } })
  const { temporal } = platform.services
  t.true(await temporal.isReachable())
  await door.cut()
  // A client that nobody uses does not try, and has no long pause before it.
  for (const stopped = Date.now(); Date.now() - stopped < 20_000; await delay(500))
    t.false(await temporal.isReachable())
  await door.open()
  const back = Date.now()
  await eventually(60, 'Temporal is reached', async () => (await temporal.isReachable()) || undefined)
  measured(t, `${Date.now() - back} ms until Temporal is reached`)
  t.true(Date.now() - back <= 2000)
})
