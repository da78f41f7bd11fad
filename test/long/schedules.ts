// @promise fires
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { measured } from '../crash/record.ts'
import { openStage } from '../crash/stage.ts'
import { startOwnPostgres } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer } from '../helpers/people.ts'
import type { PlatformProcess } from '../helpers/processes.ts'
import { runsOf } from '../helpers/runs.ts'
import { firesOf, scheduledAgent, scheduleOf } from '../helpers/schedules.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'

/*
 * Cron agents in real time while everything that they need is killed. It takes a good ten minutes, so that it is not one
 * of the tests that always run: npm run long -- schedules
 */
const minutes = 10

/** Gone from shortly before a fire until a while after it. */
const beforeMs = 5000
const goneMs = 20_000

type Fires = Awaited<ReturnType<typeof firesOf>>

test('three agents that fire every minute, while worker, API, Temporal and Postgres are each killed: every fire is on record', async (t) => {
  t.timeout((minutes + 5) * 60_000)
  const postgres = await startOwnPostgres(t)
  const temporal = await startOwnTemporal(t)
  const env = { DATABASE_URL: postgres.url, TEMPORAL_ADDRESS: temporal.address }
  const stage = await openStage(t, { env })
  // The servers of tests give up durability for speed; here it is the subject.
  await stage.platform.services.database.raw('alter database switchyard set synchronous_commit = on')
  let [api, worker]: [PlatformProcess & { url: string }, PlatformProcess] = await Promise.all([
    stage.startApi(),
    stage.startWorker(),
  ])
  const logs = [api.logs, worker.logs]
  const someone = { ...(await customer(stage.platform)), url: api.url }
  const every = { cron: '* * * * *' }
  const agents = {
    quick: await scheduledAgent(someone, { ...every, systemPrompt: '[[say done]]' }),
    slow: await scheduledAgent(someone, { ...every, systemPrompt: '[[sleep 90]]' }),
    kathmandu: await scheduledAgent(someone, { ...every, systemPrompt: '[[say done]]', timeZone: 'Asia/Kathmandu' }),
  }
  const begun = await Promise.all(
    Object.values(agents).map(async (agent) => (await scheduleOf(someone, agent)).next[0]),
  )
  const first = Math.max(...begun.map((fire) => Date.parse(fire?.at ?? '')))
  const last = first + (minutes - 1) * 60_000

  const outages = [
    {
      name: 'worker',
      kill: () => worker.kill(),
      start: async () => void logs.push((worker = await stage.startWorker()).logs),
    },
    { name: 'API', kill: () => api.kill(), start: async () => void logs.push((api = await stage.startApi()).logs) },
    { name: 'Temporal', kill: temporal.kill, start: temporal.start },
    { name: 'Postgres', kill: postgres.kill, start: postgres.start },
  ]
  const marks = new Map<string, string>()
  for (const [index, { name, kill, start }] of outages.entries()) {
    const at = first + Math.round(((index + 1) * minutes) / 5) * 60_000
    await delay(at - beforeMs - Date.now())
    await kill()
    await delay(goneMs)
    await start()
    marks.set(clockOf(at), name)
  }

  const ledgers = await eventually(
    Math.max(0, (last - Date.now()) / 1000) + 120,
    'the last fire is on record',
    async () => {
      const found = await Promise.all(Object.values(agents).map((agent) => firesOf(someone, agent).catch(() => [])))
      return found.every((fires) => fires.some(({ at }) => Date.parse(at) >= last)) ? found : undefined
    },
  )
  show(t, Object.keys(agents), ledgers, marks)

  const expected = Array.from({ length: minutes }, (_, index) => new Date(first + index * 60_000).toISOString())
  for (const [index, agent] of Object.values(agents).entries()) {
    const fires = (ledgers[index] ?? []).filter(({ at }) => expected.includes(at))
    t.deepEqual(
      fires.map(({ at }) => at),
      expected,
    )
    // None of the outages was as long as the catch-up window.
    t.deepEqual(
      fires.filter(({ outcome }) => outcome === 'missed'),
      [],
    )
    for (const { outcome, reason, message } of fires) t.is(outcome === 'ran', reason === null && message === null)
    const named = fires.map(({ runId }) => runId)
    t.is(new Set(named).size, minutes)
    const runs = (await runsOf(someone, agent)).filter(({ id }) => named.includes(id))
    t.is(runs.length, minutes)
    t.is(new Set(runs.map(({ requestId }) => requestId)).size, minutes)
    const skipped = fires.flatMap(({ outcome, runId }) => (outcome === 'skipped' && runId !== null ? [runId] : []))
    const skippedRuns = runs.filter(({ status }) => status === 'skipped').map(({ id }) => id)
    t.deepEqual(skippedRuns.toSorted(), skipped.toSorted())
    for (const { status, endedAt } of runs) if (endedAt) t.true(['completed', 'skipped'].includes(status))
  }
  t.true(ledgers[1]?.some(({ reason }) => reason === 'OVERLAP'))
  t.deepEqual(
    logs.flat().filter((line) => line.includes('unexpected error')),
    [],
  )
  for (const line of logs.flat().filter((one) => one.includes('"repair"'))) measured(t, line)
})

const clockOf = (at: number): string => new Date(at).toISOString().slice(11, 16)

/** The ledgers side by side, each with how long after its time a fire was recorded. */
function show(t: ExecutionContext, names: string[], ledgers: Fires[], marks: Map<string, string>): void {
  const times = [...new Set(ledgers.flatMap((fires) => fires.map(({ at }) => at)))].toSorted()
  measured(t, ['UTC  ', ...names.map((name) => name.padEnd(24)), 'killed'].join(' | '))
  for (const at of times) {
    const cells = ledgers.map((fires) => cellOf(fires.find((fire) => fire.at === at)).padEnd(24))
    measured(t, [at.slice(11, 16), ...cells, marks.get(at.slice(11, 16)) ?? ''].join(' | '))
  }
}

function cellOf(fire: Fires[number] | undefined): string {
  if (!fire) return '-'
  const seconds = (Date.parse(fire.recordedAt) - Date.parse(fire.at)) / 1000
  return `${fire.outcome} ${fire.reason ?? ''} +${seconds.toFixed(1)} s`.replace('  ', ' ')
}
