import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as notifications from '../../../api/notifications.ts'
import * as runs from '../../../api/runs.ts'
import * as why from '../../../api/why.ts'
import type { Database } from '../../../src/database/database.ts'
import { call } from '../../helpers/client.ts'
import { createEmptyDatabase } from '../../helpers/database.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { startOwnTemporal } from '../../helpers/temporal.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { measured } from '../record.ts'
import { openStage } from '../stage.ts'
import { admin } from './admin.ts'
import { lostCalls } from './decide.ts'
import { callsUnderWay, deliverTo, once, openAgents, stateOf, until, usualPatience, type Worker } from './work.ts'

const busy = 50
/** These are paused after the dump, so their calls of that time are the last ones. */
const resting = 5

/** About 45 seconds. */
const script = [1, 15, 16].map(once).join('[[then]][[sleep 4]]')
const runSeconds = 45

export type PostgresTrial = Awaited<ReturnType<typeof openPostgresTrial>>

/** Agents that have enough to do for some minutes, and two workers. */
export async function openPostgresTrial(t: ExecutionContext, minutes: number) {
  t.timeout((minutes + 60) * 60_000)
  const temporal = await startOwnTemporal(t)
  const stage = await openStage(t, { sites: true, env: { ...usualPatience, TEMPORAL_ADDRESS: temporal.address } })
  const { database } = stage.platform.services
  const processes = [await stage.startWorker(), await stage.startWorker()]
  const workers = await openAgents(stage, { agents: busy + resting, each: 11, script })
  await deliverTo(stage, workers.slice(0, resting), 2)
  await deliverTo(stage, workers.slice(resting), Math.ceil((minutes * 60) / runSeconds) + 3)
  await until(database, { seconds: 300, what: 'all agents work' }, ({ active }) => active === workers.length)
  await eventually(120, 'calls are under way', async () => (await callsUnderWay(database)) > busy / 2 || undefined)
  return { temporal, stage, database, processes, workers, requests: stage.sites.badTools.requests }
}

/** Backs up, and lets so much time pass with work. Then the database is lost while all agents work. */
export async function losePostgres(t: ExecutionContext, trial: PostgresTrial, minutes: number) {
  const { stage, database, processes, workers, requests } = trial
  const file = join(await temporaryFolder(t), 'backup')
  await admin(stage.environment, 'backup', file)
  const { beganAt: asOf } = await database('backups').first<{ beganAt: Date }>('beganAt')
  for (const { owner, agent } of workers.slice(0, resting))
    await call(owner, agents.pauseAgent, { params: { agentId: agent.id } })
  const [forgotten = ''] = await deliverTo(stage, workers, 1)
  const age = () => Date.now() - asOf.getTime()
  await until(database, { seconds: minutes * 60 + 60, what: 'the dump is old' }, () => age() > minutes * 60_000)
  const state = await stateOf(database)
  t.is(state.active, workers.length)
  await Promise.all(processes.map((one) => one.kill()))
  const lost = lostCalls(requests(), asOf)
  const lostKeys = new Set([...lost.values()].flat())
  measured(
    t,
    `at the loss: ${JSON.stringify(state)}; the dump is ${Math.round(age() / 1000)} s old and lacks ${lostKeys.size} calls of ${lost.size} runs`,
  )
  t.true(lostKeys.size > 0, 'the dump lacks no call')
  return { file, forgotten, lost, lostKeys }
}

/** Restores the dump, as the guide says, and starts the platform again. Nothing is called until somebody decides. */
export async function restorePostgres(t: ExecutionContext, trial: PostgresTrial, file: string) {
  const { stage, workers, requests } = trial
  const { url: DATABASE_URL } = await createEmptyDatabase(t)
  const began = Date.now()
  const said = await admin({ ...stage.environment, DATABASE_URL }, 'restore', file)
  const back = Date.now()
  measured(t, `${back - began} ms for the restore: ${said.split('\n').slice(-2).join(' ')}`)
  t.regex(said, new RegExp(`${workers.length} agents with \\d+ unfinished runs are paused until somebody decides`))
  const made = requests().length
  const { url, services } = await startPlatform(t, { env: { ...stage.environment, DATABASE_URL } })
  await Promise.all([1, 2].map(() => stage.startWorker({ DATABASE_URL })))
  await eventually(300, 'begun runs wait', async () => (await runningIn(services.database)) === 0 || undefined)
  measured(t, `${Date.now() - back} ms from the restore until all begun runs waited for a decision`)
  return { url, database: services.database, made }
}

async function runningIn(database: Database): Promise<number> {
  const row = await database('runs').where({ status: 'running' }).count<{ count: string }[]>().first()
  return Number(row?.count)
}

/** The guide's words on a restore (docs/operate/back-up.md), as the owner of an agent sees them. */
export async function isAsTheGuideSays(
  t: ExecutionContext,
  { url, database }: { url: string; database: Database },
  { workers, forgotten }: { workers: Worker[]; forgotten: string },
): Promise<void> {
  const paused: string[] = await database('agents').where({ pausedReason: 'RESTORED' }).pluck('id')
  t.deepEqual(paused.toSorted(), workers.map(({ agent }) => agent.id).toSorted())
  const [{ owner, agent }] = workers as [Worker]
  const someone = { ...owner, url }
  const told = (await call(someone, notifications.listNotifications, { query: { kind: 'restored' } })).body.items
  t.is(told.length, 1)
  const { causes } = (await call(someone, why.whyAgent, { params: { agentId: agent.id } })).body
  t.like(causes, { 0: { code: 'PAUSED' } })
  t.is((await call(someone, runs.getRun, { params: { runId: forgotten } })).status, 404, 'its delivery is lost')
}
