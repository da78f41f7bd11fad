// @promise deploys
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { measured } from '../crash/record.ts'
import { createBalancer } from '../crash/rolling/balancer.ts'
import { assertSpared } from '../crash/rolling/assert-spared.ts'
import { startTraffic } from '../crash/rolling/load.ts'
import { codeOf, migrateWith, previousRelease } from '../crash/rolling/old-release.ts'
import { createEmptyDatabase } from '../helpers/database.ts'
import { testEnvironment } from '../helpers/platform.ts'
import { startProcess, type PlatformProcess } from '../helpers/processes.ts'

const apis = 2
const workers = 2

/*
 * From the previous release to this one, and then once more, while an owner's agents get deliveries. Between the schema's
 * migration and the last new process, both releases share the database. It takes some minutes: npm run long -- upgrade
 */
test('a rolling upgrade under load fails no request, resumes every stream, and loses and reorders nothing', async (t) => {
  t.timeout(10 * 60_000)
  const folder = await codeOf(t, previousRelease)
  const stage = await openRolling(t)
  await migrateWith(folder, stage.databaseUrl)
  const old = await stage.startAll({ root: folder, bundles: true })
  const { load, stop } = await startTraffic(stage.balancer)
  t.teardown(() => void stop())
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
  await assertSpared(t, { load, databaseUrl: stage.databaseUrl, afterUpgrade })
})

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
