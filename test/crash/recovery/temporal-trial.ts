import type { ExecutionContext } from 'ava'
import { eventually } from '../../helpers/eventually.ts'
import { startOwnTemporal } from '../../helpers/temporal.ts'
import { measured, repairsIn } from '../record.ts'
import { openStage } from '../stage.ts'
import { assertInOrder, assertOnce } from './assert-once.ts'
import {
  allOver,
  callsUnderWay,
  deliverTo,
  once,
  openAgents,
  stateOf,
  until,
  usualPatience,
  type Worker,
} from './work.ts'

const agents = 20
const queued = 200
const callsEach = 3
/** Of the long runs, so many wait for a site; the others wait for the model. */
const longCalls = 13

/** Identical calls in a row would not be made. */
const [first, second, third] = [0.1, 0.2, 0.3].map(once)

/** What the runs do that are under way at the loss: ask the model, wait for a site, or call twice at once. */
const atLoss = [
  `${first}[[then]][[sleep 40]]${second}[[then]]${third}`,
  `${first}[[then]]${once(40)}[[then]]${third}`,
  `${once(40)}${second}[[then]]${third}`,
]

/** What the others do. */
const usually = `${first}[[then]]${second}[[then]]${third}`

export type TemporalTrial = Awaited<ReturnType<typeof openTemporalTrial>>

/** Agents of four owners, two workers and an API, and a Temporal that can lose its storage. */
export async function openTemporalTrial(t: ExecutionContext) {
  t.timeout(40 * 60_000)
  const temporal = await startOwnTemporal(t)
  const env = { ...usualPatience, SITE_TIMEOUT_SECONDS: '120', TEMPORAL_ADDRESS: temporal.address }
  const stage = await openStage(t, { sites: true, env })
  const processes = [await stage.startWorker(), await stage.startWorker(), await stage.startApi()]
  const workers = await openAgents(stage, { agents, each: 5, script: usually })
  const { database } = stage.platform.services
  return { temporal, stage, processes, workers, database, requests: stage.sites.badTools.requests }
}

/** Each agent's next run is a long one, with so many others behind it. */
export async function fill({ stage }: TemporalTrial, workers: Worker[], each = queued / agents): Promise<void> {
  await deliverTo(stage, workers, 1, (nth) => ({ action: atLoss[nth % atLoss.length] }))
  await deliverTo(stage, workers, each)
}

/** Waits until every agent works on a long run. */
export async function untilUnderWay({ database }: TemporalTrial): Promise<void> {
  await until(database, { seconds: 600, what: 'all agents work' }, ({ active }) => active === agents)
  await eventually(600, 'the long runs are under way', async () => {
    return (await callsUnderWay(database)) >= longCalls || undefined
  })
}

/** Waits until so many agents have nothing to do. */
export const untilIdle = ({ database }: TemporalTrial, idle: number) =>
  until(database, { seconds: 600, what: `${idle} agents rest` }, ({ active }) => active === agents - idle)

export async function sayLoss(t: ExecutionContext, { database }: TemporalTrial): Promise<void> {
  const state = await stateOf(database)
  t.like(state, { queued, active: agents })
  measured(t, `at the loss: ${JSON.stringify(state)}, and ${await callsUnderWay(database)} calls under way`)
}

/** Everything goes on by itself; says how soon after the return of Temporal. */
export async function recovers(t: ExecutionContext, trial: TemporalTrial): Promise<void> {
  const { database, requests, temporal } = trial
  await temporal.start()
  const back = new Date()
  const passed = () => `${Date.now() - back.getTime()} ms from the return of Temporal`
  await eventually(300, 'every agent has moved', async () => (await moved(database, back)) === agents || undefined)
  measured(t, `${passed()} until all agents had moved`)
  await until(database, { seconds: 1800, what: 'all runs have ended' }, allOver)
  measured(t, `${passed()} until all runs had ended`)
  measured(t, `repairs: ${repairsOfAll(trial)}`)
  await assertOnce(t, { requests: requests(), database })
  await assertInOrder(t, database, callsEach)
}

/** Agents of which something was recorded since: a step, a call, the start or the end of a run. */
async function moved(database: TemporalTrial['database'], since: Date): Promise<number> {
  const { rows } = await database.raw<{ rows: unknown[] }>(movedStatement, { since })
  return rows.length
}

const movedStatement = 'select distinct agent_id from runs where progressed_at > :since'

function repairsOfAll({ processes }: TemporalTrial): string {
  const repairs = repairsIn(processes.flatMap(({ logs }) => logs))
  const counts = Map.groupBy(repairs, ({ repair, cause }) => `${repair} (${cause})`)
  return [...counts].map(([kind, all]) => `${all.length} ${kind}`).join(', ')
}
