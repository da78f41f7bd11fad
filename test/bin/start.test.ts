import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { isRunning } from '../../bin/local/process-identity.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { endRecorded, type RecordedProcess } from '../../bin/local/process-record.ts'
import { ownServerOptions, sharedServers } from '../helpers/servers.ts'

/** Each test starts a whole installation; several at once on two cores would only wait for each other. */
const alone = test.serial

const root = join(import.meta.dirname, '../..')
const placeholder = (name: string) => join(import.meta.dirname, 'placeholders', `${name}.ts`)

/** An installation in a folder of its own, with ports of its own, whose API and worker are placeholders. */
async function installation(t: ExecutionContext) {
  const { folder, record, environment } = ownServerOptions()
  const [api, postgres, temporal, ui, ...sites] = await freePorts(8)
  const env = {
    ...environment,
    DATA_DIR: join(folder, 'data'),
    PORT: String(api),
    POSTGRES_PORT: String(postgres),
    TEMPORAL_PORT: String(temporal),
    TEMPORAL_UI_PORT: String(ui),
    SITE_PORTS: sites.join(','),
    TEMPORAL_BINARY: sharedServers().temporalBinary,
  }
  t.teardown(() => endRecorded(join(env.DATA_DIR, 'processes')))
  return {
    data: env.DATA_DIR,
    api: Number(api),
    postgres: Number(postgres),
    /** Everything that it says is in `lines`; the process is on record, so that a failing test leaves nothing. */
    start(worker = placeholder('worker')) {
      const args = ['bin/start.ts', '--api', placeholder('api'), '--worker', worker]
      const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
      record.add('start', child.pid!, 'SIGTERM')
      const lines: string[] = []
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => lines.push(line))
      }
      return { child, lines, ended: once(child, 'close') as Promise<[number | null]> }
    },
    /** What runs at present, besides the starter. */
    processes: (): RecordedProcess[] =>
      readdirSync(join(env.DATA_DIR, 'processes'))
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(env.DATA_DIR, 'processes', name), 'utf8')) as RecordedProcess),
  }
}

async function until(condition: () => boolean, child?: ChildProcess): Promise<void> {
  while (!condition()) {
    if (child && child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`)
    await wait(50)
  }
}

function wardenOf(data: string): number {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return Number.parseInt(all.find((line) => line.includes('warden.ts') && line.includes(data)) ?? '', 10)
}

/** Asks the site that uses OAuth, the last one, to send a browser back to this API: 303 if it would. */
async function authorizeStatus(data: string, { api, sites }: { api: string; sites: string[] }): Promise<unknown> {
  const query = new URLSearchParams({
    client_id: 'switchyard',
    response_type: 'code',
    scope: 'read',
    redirect_uri: `${api}/vault/oauth/callback`,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  })
  const ca = readFileSync(join(data, 'certificates', 'ca.pem'))
  const asked = get(`${sites.at(-1)}/oauth/authorize?${query.toString()}`, { ca, agent: false })
  const [response] = (await once(asked, 'response')) as [{ statusCode: number }]
  return response.statusCode
}

const isReady = (lines: string[]) => lines.includes('Ctrl-C stops everything.')

alone('a start brings everything up, says where, and a signal stops all of it', async (t) => {
  const place = await installation(t)
  const { child, lines, ended } = place.start()
  await until(() => isReady(lines), child)
  const processes = place.processes()
  t.deepEqual(processes.map(({ name }) => name).toSorted(), ['api', 'postgres', 'sites', 'temporal', 'worker'])
  t.is((await fetch(`http://127.0.0.1:${place.api}/`)).status, 200)
  t.true(lines.some((line) => line.includes(`http://127.0.0.1:${place.api}/docs`)))
  const addresses = JSON.parse(readFileSync(join(place.data, 'addresses.json'), 'utf8')) as {
    api: string
    sites: string[]
  }
  t.is(addresses.api, `http://127.0.0.1:${place.api}`)
  t.is(await authorizeStatus(place.data, addresses), 303)
  t.is(statSync(join(place.data, 'secrets.json')).mode & 0o777, 0o600)
  child.kill('SIGINT')
  t.deepEqual(await ended, [0, null] as never)
  t.false(processes.some((one) => isRunning(one)))
  t.deepEqual(place.processes(), [])
  t.false(existsSync(join(place.data, 'addresses.json')))
})

alone('a start after the starter was killed goes on with the same data', async (t) => {
  const place = await installation(t)
  const first = place.start()
  await until(() => isReady(first.lines), first.child)
  const secrets = readFileSync(join(place.data, 'secrets.json'), 'utf8')
  const processes = place.processes()
  first.child.kill('SIGKILL')
  await until(() => !processes.some((one) => isRunning(one)))
  const second = place.start()
  await until(() => isReady(second.lines), second.child)
  t.is(readFileSync(join(place.data, 'secrets.json'), 'utf8'), secrets)
  second.child.kill('SIGTERM')
  t.is((await second.ended)[0], 0)
})

alone('what a killed starter and its warden have left is ended by the next start', async (t) => {
  const place = await installation(t)
  const first = place.start()
  await until(() => isReady(first.lines), first.child)
  // The sites end by themselves when the pipe from their starter breaks.
  const left = place.processes().filter(({ name }) => name !== 'sites')
  process.kill(wardenOf(place.data), 'SIGKILL')
  first.child.kill('SIGKILL')
  await first.ended
  t.true(left.every((one) => isRunning(one)))
  const second = place.start()
  await until(() => isReady(second.lines), second.child)
  t.false(left.some((one) => isRunning(one)))
  t.true(second.lines.some((line) => line.startsWith('Ended what an earlier start had left: ')))
  second.child.kill('SIGTERM')
  t.is((await second.ended)[0], 0)
})

alone('a second start while one runs says so and leaves the first alone', async (t) => {
  const place = await installation(t)
  const first = place.start()
  await until(() => isReady(first.lines), first.child)
  const second = place.start()
  t.is((await second.ended)[0], 1)
  t.regex(second.lines.join('\n'), new RegExp(`runs already \\(process ${first.child.pid}\\)`))
  t.is((await fetch(`http://127.0.0.1:${place.api}/`)).status, 200)
  first.child.kill('SIGTERM')
  t.is((await first.ended)[0], 0)
})

alone('taken ports are named with the variable that changes them before anything is started', async (t) => {
  const place = await installation(t)
  const blockers = [place.api, place.postgres].map((port) => createServer().listen(port, '127.0.0.1'))
  t.teardown(() => blockers.forEach((server) => server.close()))
  await Promise.all(blockers.map((server) => once(server, 'listening')))
  const { lines, ended } = place.start()
  t.is((await ended)[0], 1)
  t.deepEqual(lines, [
    `Port ${place.api} (the API) is taken. Free it, or set PORT to another one.`,
    `Port ${place.postgres} (Postgres) is taken. Free it, or set POSTGRES_PORT to another one.`,
  ])
  t.false(existsSync(join(place.data, 'postgres')))
})

alone('a process that dies is started again, Postgres and Temporal included', async (t) => {
  const place = await installation(t)
  const { child, lines, ended } = place.start()
  await until(() => isReady(lines), child)
  for (const { pid } of place.processes()) process.kill(pid, 'SIGKILL')
  const names = ['api', 'postgres', 'sites', 'temporal', 'worker']
  await until(() => names.every((name) => lines.includes(`${name}: runs again`)), child)
  t.is((await fetch(`http://127.0.0.1:${place.api}/`)).status, 200)
  child.kill('SIGTERM')
  t.is((await ended)[0], 0)
})

alone('a process that cannot start ends the start with its last words', async (t) => {
  const place = await installation(t)
  const { lines, ended } = place.start(placeholder('broken'))
  t.is((await ended)[0], 1)
  t.true(lines.some((line) => line.startsWith('worker ended before it was ready (exit code 1)')))
  t.true(lines.includes('  | The key is missing.'))
  t.deepEqual(place.processes(), [])
})
