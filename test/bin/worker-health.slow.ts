import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { openDatabaseDoor } from '../helpers/database-door.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { seriesIn } from '../helpers/metrics-text.ts'
import { startPlatform, testEnvironment } from '../helpers/platform.ts'
import { startProcess } from '../helpers/processes.ts'
import { ownEnvironment, sharedServers } from '../helpers/servers.ts'
import { openDoorTo } from '../helpers/door.ts'

async function ask(port: number, path = '/healthz') {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

const well = { status: 200, body: { status: 'ok', polling: true, database: true } }

test('a worker says that it is well while it polls and its database answers, and only then', async (t) => {
  const [port = 0] = await freePorts(1)
  const door = await openDatabaseDoor(t, (await createTestDatabase(t)).url)
  const env = { DATABASE_URL: door.url, WORKER_HEALTH_PORT: String(port) }
  const worker = await startProcess(t, 'worker', await testEnvironment(t, { env }))
  await eventually(30, 'it is well', async () => ((await ask(port)).status === 200 ? true : undefined))
  t.deepEqual(await ask(port), well)
  t.is((await ask(port, '/')).status, 404)
  await door.stop()
  const failing = { status: 503, body: { status: 'failing', polling: true, database: false } }
  await eventually(30, 'the database is missed', async () => ((await ask(port)).status === 503 ? true : undefined))
  t.deepEqual(await ask(port), failing)
  await door.start()
  await eventually(30, 'it is well again', async () => ((await ask(port)).status === 200 ? true : undefined))
  t.is(await worker.stop(), 0)
  await t.throwsAsync(ask(port))
})

test('a worker that waits for Temporal for ten seconds is not well, until Temporal is back', async (t) => {
  const [port = 0] = await freePorts(1)
  const environment = await testEnvironment(t, { env: { WORKER_HEALTH_PORT: String(port) } })
  const door = await openDoorTo(t, environment['TEMPORAL_ADDRESS'] ?? '')
  const worker = await startProcess(t, 'worker', { ...environment, TEMPORAL_ADDRESS: door.address })
  await eventually(30, 'it is well', async () => ((await ask(port)).status === 200 ? true : undefined))
  await door.cut()
  await eventually(30, 'Temporal is missed', async () => ((await ask(port)).status === 503 ? true : undefined))
  t.like(await ask(port), { body: { polling: false, database: true } })
  await door.open()
  await eventually(30, 'it is well again', async () => ((await ask(port)).status === 200 ? true : undefined))
  t.is(await worker.stop(), 0)
})

test("a worker answers with its own metrics and those of Temporal's core, to the token alone", async (t) => {
  const [port = 0] = await freePorts(1)
  const token = 'a-token-for-the-metrics'
  const env = { WORKER_HEALTH_PORT: String(port), METRICS_TOKEN: token }
  await startProcess(t, 'worker', await testEnvironment(t, { env }))
  const scrape = async (authorization: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization } })
    return { status: answer.status, text: await answer.text() }
  }
  t.like(await scrape(`Bearer ${token}`), { status: 200 })
  const series = await eventually(30, "Temporal's core has metrics", async () => {
    const found = seriesIn((await scrape(`Bearer ${token}`)).text)
    return Object.keys(found).some((name) => name.startsWith('temporal_worker_task_slots_available'))
      ? found
      : undefined
  })
  t.is(series['switchyard_temporal_metrics_up'], 1)
  t.true('switchyard_event_loop_lag_seconds' in series && 'process_cpu_seconds_total' in series)
  // The record is for API processes, so that it is not read once more for each worker.
  t.false('switchyard_workers' in series)
  t.like(JSON.parse((await scrape('Bearer another-token')).text), { code: 'INVALID_TOKEN', statusCode: 401 })
})

test('a worker without Temporal is not well, and a taken port ends it', async (t) => {
  const [port = 0, nobody = 0] = await freePorts(2)
  const platform = await startPlatform(t)
  const env = {
    ...(await testEnvironment(t, { env: { DATABASE_URL: platform.config.database.url } })),
    TEMPORAL_ADDRESS: `127.0.0.1:${nobody}`,
    WORKER_HEALTH_PORT: String(port),
  }
  const start = () => {
    const child = spawn(process.execPath, ['bin/worker.ts', sharedServers().bundle], {
      cwd: new URL('../..', import.meta.url),
      env: { ...ownEnvironment(), ...env },
      stdio: 'ignore',
    })
    t.teardown(() => void child.kill('SIGKILL'))
    return child
  }
  start()
  const seen = await eventually(30, 'it listens', () => ask(port).catch(() => undefined))
  t.deepEqual(seen, { status: 503, body: { status: 'failing', polling: false, database: true } })
  const [code] = (await once(start(), 'exit')) as [number]
  t.is(code, 1)
})
