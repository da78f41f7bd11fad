// @promise once
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as notifications from '../../api/notifications.ts'
import * as why from '../../api/why.ts'
import { restoresOf } from '../../bin/admin/restores-of.ts'
import { writeBackup } from '../../src/backups/backup-file.ts'
import { load } from '../../src/backups/load.ts'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrations } from '../../migrations/index.ts'
import { call } from '../helpers/client.ts'
import { createEmptyDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { deliver, runOf, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startProcess } from '../helpers/processes.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { measured } from './record.ts'
import { connected, openStage } from './stage.ts'

const agentsEach = 5

const days = 2

const agedStatement = `
  update runs
     set accepted_at = accepted_at - :days * interval '1 day', started_at = started_at - :days * interval '1 day',
         progressed_at = progressed_at - :days * interval '1 day',
         waiting_since = waiting_since - :days * interval '1 day', waiting_until = waiting_until - :days * interval '1 day'`

/** Three calls that must not be repeated, one in each step, and the last one is still under way when all others are over. */
const script = (nth: number) =>
  [0.3, nth % 3, nth % 5 === 0 ? 20 : 0.1]
    .map((seconds) => `[[call slow_once {"seconds":${seconds}}]]`)
    .join('[[then]]')

interface Started {
  someone: Person
  agentId: string
  runs: string[]
}

async function startRuns(stage: Awaited<ReturnType<typeof openStage>>, owners: number): Promise<Started[]> {
  const started: Started[] = []
  for (let owner = 0; owner < owners; owner += 1) {
    const { someone, sites } = await connected(stage)
    for (let nth = 0; nth < agentsEach; nth += 1) {
      const agent = await webhookAgent(someone, { systemPrompt: script(owner * agentsEach + nth), sites })
      const runs = []
      for (const number of [1, 2]) runs.push((await deliver(stage.platform, agent, { number })).body.runId)
      started.push({ someone, agentId: agent.id, runs })
    }
  }
  return started
}

const connectTo = (t: ExecutionContext, url: string) => {
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'), { deadlines: false })
  t.teardown(() => database.destroy())
  return database
}

test('after a restore, 50 runs that were under way make no call until somebody decides, whatever starts in the middle of it', async (t) => {
  t.timeout(300_000)
  const stage = await openStage(t, { sites: true })
  const { platform, sites, environment } = stage
  const requests = () => sites.badTools.requests()
  const workers = [await stage.startWorker(), await stage.startWorker()]
  const started = await startRuns(stage, 10)
  await eventually(60, 'every agent has made a call', async () => {
    const runs = await Promise.all(started.map(({ someone, runs: [first] }) => runOf(someone, first!)))
    return runs.every(({ toolCalls }) => toolCalls > 0) || undefined
  })
  const path = join(await temporaryFolder(t), 'backup')
  const { asOf } = await writeBackup({ database: platform.services.database }, path)
  const atBackup = requests().length

  // What the restore loses: the rest of these runs, the runs behind them, a change and new agents with runs.
  const [{ someone: first, agentId: firstAgent }] = started as [Started]
  await call(first, agents.updateAgent, { params: { agentId: firstAgent }, body: { name: 'Changed' } })
  const later = await startRuns(stage, 2)
  await eventually(120, 'work goes on', () => requests().length > atBackup + 150 || undefined)
  await Promise.all(workers.map((worker) => worker.kill()))
  const lost = requests().length - atBackup
  // What had been sent arrives.
  await platform.stopWorker()

  const { url } = await createEmptyDatabase(t)
  const restored = { ...environment, DATABASE_URL: url }
  const target = connectTo(t, url)
  const api = await startPlatform(t, { env: restored })
  // A worker polls from the start, and its loops look at the database all the time.
  const early = await startProcess(t, 'worker', restored)
  const before = requests().length
  const began = Date.now()
  await load(
    {
      database: target,
      migrations,
      before: async (trx) => {
        // As if the backup were two days old: longer than a run may work, wait, or wait for an approval.
        await trx.raw(agedStatement, { days })
        const longAgo = new Date(asOf.getTime() - days * 86_400_000)
        await restoresOf(trx, platform.config).announce(trx, longAgo)
      },
    },
    createReadStream(path),
  )
  const late = await startProcess(t, 'worker', restored)
  measured(t, `${Date.now() - began} ms for the restore and a worker; ${lost} calls were lost with the record`)

  const held: { id: string; agentId: string }[] = await target('runs').whereNull('endedAt').select('id', 'agentId')
  const open = new Set(held.map(({ id }) => id))
  t.true(open.size >= 50, `${open.size} unfinished runs`)
  const stepsOf = (): Promise<unknown[]> =>
    target('runs')
      .whereIn('id', [...open])
      .orderBy('id')
      .select('id', 'steps', 'toolCalls')
  const steps = await stepsOf()
  const waiting: string[] = await target('agents').where({ pausedReason: 'RESTORED' }).pluck('id')
  t.deepEqual(waiting.toSorted(), [...new Set(held.map(({ agentId }) => agentId))].toSorted())
  await eventually(120, 'begun runs wait for the end of the pause', async () => {
    const begun = await target('runs').where({ status: 'running' }).count<{ count: number }[]>()
    return Number(begun[0]?.count) === 0 || undefined
  })
  // Several rounds of every loop that starts or repairs something.
  await new Promise((resolve) => setTimeout(resolve, 15_000))
  t.is(requests().length, before, 'no call was made')
  // A run whose answer was on record already may end: that asks nobody.
  t.deepEqual(await stepsOf(), steps, 'no model was asked')

  const someone = { ...first, url: api.url }
  const told = (await call(someone, notifications.listNotifications, { query: { kind: 'restored' } })).body.items
  t.is(told.length, 1)
  t.true(told[0]!.message.includes('paused'))
  const { causes } = (await call(someone, why.whyAgent, { params: { agentId: firstAgent } })).body
  t.like(causes, { 0: { code: 'PAUSED' } })
  t.regex(causes[0]!.message, /restored from a backup/)

  const underWay: { subjectId: string; step: number; position: number }[] = await target('tool_calls')
    .where({ status: 'started' })
    .select('subjectId', 'step', 'position')
  const resumed = await restoresOf(target, platform.config).resumeAll()
  t.is(resumed, waiting.length)
  await eventually(
    300,
    'all runs end',
    async () => (await target('runs').whereNull('endedAt').pluck('id')).length === 0 || undefined,
  )
  const statuses: string[] = await target('runs')
    .whereIn('id', [...open])
    .distinct('status')
    .pluck('status')
  t.deepEqual(statuses, ['completed'])
  measured(t, `${Date.now() - began} ms from the restore until all runs had ended after they were resumed`)
  // Calls that had no outcome in the backup are in doubt, and were not made again.
  t.true(underWay.length > 0)
  for (const { subjectId, step, position } of underWay) {
    t.like(await target('tool_calls').where({ subjectId, step, position }).first(), { status: 'unknown' })
    const key = `${subjectId}:${step}:${position}`
    t.true(requests().filter(({ idempotencyKey }) => idempotencyKey === key).length <= 1, key)
  }
  t.is(later.length, 10)
  await Promise.all([early.stop(), late.stop()])
  t.is((await timelineOf(someone, started[0]!.runs[0]!)).at(-1)?.kind, 'ended')
})
