// @promise deploys
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { measured } from '../crash/record.ts'
import { createBalancer } from '../crash/rolling/balancer.ts'
import { startTraffic, type Load } from '../crash/rolling/load.ts'
import { codeOf, migrateWith } from '../crash/rolling/old-release.ts'
import { createEmptyDatabase, onServer } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { testEnvironment } from '../helpers/platform.ts'
import { startProcess, type PlatformProcess } from '../helpers/processes.ts'

/** The last commit before migrations only add. Its schema is the frozen baseline. */
const previous = '67a7f258'

const apis = 2
const workers = 2

/*
 * From the previous release to this one, and then once more, while an owner's agents get deliveries. Between the schema's
 * migration and the last new process, both releases share the database. It takes some minutes: npm run long -- upgrade
 */
test('a rolling upgrade under load fails no request, resumes every stream, and loses and reorders nothing', async (t) => {
  t.timeout(5 * 60_000)
  const folder = await codeOf(t, previous)
  if (folder === undefined) {
    t.log(`This clone does not have the commit ${previous}. Fetch the whole history to run this test.`)
    t.pass()
    return
  }
  const stage = await openRolling(t)
  await migrateWith(folder, stage.databaseUrl)
  const old = await stage.startAll({ root: folder, bundles: true })
  const { load, stop } = await startTraffic(stage.balancer)
  await delay(5000)
  measured(t, `before: ${load.requests} requests. ${await migrateWith(undefined, stage.databaseUrl)}`)
  await delay(2000)
  const next = await stage.replace(old, { takesOut: true })
  measured(t, `upgraded: ${load.requests} requests, ${load.resumed} streams resumed`)
  const afterUpgrade = load.failures.length
  await delay(3000)
  // Nobody takes these out of the balancer before they stop.
  await stage.replace(next, { takesOut: false })
  await delay(3000)
  await stop()
  measured(t, summary(load))
  t.deepEqual(load.failures, [], `${afterUpgrade} of them by the end of the upgrade`)
  t.true(load.resumed >= 2, 'too few streams ended early to say anything')
  await assertRecord(t, stage.databaseUrl, load)
})

const summary = ({ requests, delivered, chats, followed, resumed }: Load): string =>
  `${requests} requests, ${[...delivered.values()].flat().length} deliveries, ${chats} chat answers, ${followed} runs followed, ${resumed} streams resumed`

/** The folder of another release, whose workers bundle their own workflows. */
interface Code {
  root?: string
  bundles?: boolean
}

interface Processes {
  apis: (PlatformProcess & { url: string })[]
  workers: PlatformProcess[]
}

async function openRolling(t: ExecutionContext) {
  const { url: databaseUrl } = await createEmptyDatabase(t)
  const balancer = createBalancer()
  const env = { DATABASE_URL: databaseUrl, ACCESS_TOKEN_SECONDS: '3600', SHUTDOWN_SECONDS: '20' }
  const environment: Record<string, string> = await testEnvironment(t, { env })
  const [address = 0] = await freePorts(1)
  const BASE_URL = `http://127.0.0.1:${address}`

  async function startApi(options: Code = {}) {
    const [port = 0] = await freePorts(1)
    const api = await startProcess(t, 'api', { ...environment, BASE_URL, PORT: String(port) }, options)
    const url = `http://127.0.0.1:${port}`
    balancer.add(url)
    return { ...api, url }
  }
  const startWorker = (options: Code = {}) => startProcess(t, 'worker', { ...environment, BASE_URL }, options)

  return {
    databaseUrl,
    balancer,
    async startAll(options: Code): Promise<Processes> {
      const starting = [
        Promise.all(Array.from({ length: apis }, () => startApi(options))),
        Promise.all(Array.from({ length: workers }, () => startWorker(options))),
      ] as const
      const [started, working] = await Promise.all(starting)
      return { apis: started, workers: working }
    },
    /** One after the other: a new one starts, then an old one stops. */
    async replace(old: Processes, { takesOut }: { takesOut: boolean }): Promise<Processes> {
      const next: Processes = { apis: [], workers: [] }
      for (const worker of old.workers) {
        next.workers.push(await startWorker())
        t.is(await worker.stop(), 0)
      }
      for (const api of old.apis) {
        next.apis.push(await startApi())
        if (takesOut) await balancer.remove(api.url)
        t.is(await api.stop(), 0)
      }
      return next
    },
  }
}

/** Everything accepted was run once, one after the other, in the order in which it was accepted. */
async function assertRecord(t: ExecutionContext, url: string, { delivered }: Load): Promise<void> {
  const read = async () => {
    const { rows } = await onServer(url, (client) => client.query<RecordedRun>(runsStatement))
    return rows
  }
  const unfinished = async () => (await read()).filter(({ ended }) => ended === null)
  for (let left = await unfinished(); left.length > 0;) {
    const before = left
    left = await eventually(30, `one of ${before.length} runs ends`, async () => {
      const found = await unfinished()
      return found.length < before.length ? found : undefined
    })
  }
  const runs = await read()
  t.deepEqual([...new Set(runs.map(({ status }) => status))], ['completed'])
  for (const [agentId, ids] of delivered) {
    const own = runs.filter((run) => run.agent === agentId)
    t.deepEqual(
      own.map(({ id }) => id),
      ids,
      'deliveries were lost, added or reordered',
    )
    const overlaps = own.filter(({ started }, index) => Number(started) < Number(own[index - 1]?.ended ?? 0))
    t.deepEqual(overlaps, [])
  }
}

interface RecordedRun {
  id: string
  agent: string
  status: string
  started: Date | null
  ended: Date | null
}

const runsStatement = `
  select id, agent_id as agent, status, started_at as started, ended_at as ended from runs order by agent_id, sequence`
