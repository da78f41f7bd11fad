// @promise start
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'ava'
import { Client } from 'pg'
import { isRunning } from '../../bin/local/process-identity.ts'
import { endRecorded } from '../../bin/local/process-record.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { installation, placeholder, type Installation } from '../helpers/installation.ts'
import { sharedServers } from '../helpers/servers.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

/**
 * The life of one whole installation: a whole start is the most costly thing that tests do. Each chapter follows upon
 * the one before and keeps what was seen in it, whichever test asks first.
 */
const place = forWholeFile(test, 'an installation', async (t) => {
  const made = await installation()
  t.teardown(() => endRecorded(made.records))
  return made
})

const started = chapter(async () => {
  const { start, data, ...one } = await place()
  const it = start({ sites: placeholder('sites') })
  await it.ready
  return {
    ...it,
    addresses: JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')) as Addresses,
    processes: one.processes(),
    apiStatus: await one.apiStatus(),
    secrets: one.secrets(),
    secretsMode: statSync(join(data, 'secrets.json')).mode & 0o777,
    factsMode: statSync(join(data, 'conformance.json')).mode & 0o777,
    admin: readFileSync(join(data, 'admin.json'), 'utf8'),
    open: openToOthers(data),
  }
})

const startedTwice = chapter(async () => {
  await started()
  const { start, apiStatus } = await place()
  const second = start()
  return { code: await second.ended, lines: second.lines, apiStatus: await apiStatus() }
})

const died = chapter(async () => {
  await startedTwice()
  const { lines } = await started()
  const { processes, apiStatus, postgres, secrets } = await place()
  await onDatabase(postgres, secrets(), `create table kept as select 'a thing' as what`)
  const killed = processes()
  for (const { pid } of killed) process.kill(pid, 'SIGKILL')
  await eventually(120, 'everything runs again', () => {
    const names = killed.map(({ name }) => name)
    return names.every((name) => lines.includes(`${name}: runs again`)) || undefined
  })
  return { killed, processes: processes(), apiStatus: await apiStatus() }
})

const left = chapter(async () => {
  await died()
  const starter = await started()
  const { processes, data } = await place()
  process.kill(wardenOf(data), 'SIGKILL')
  starter.kill('SIGKILL')
  await starter.ended
  return processes().map((one) => ({ ...one, running: isRunning(one) }))
})

const startedAgain = chapter(async () => {
  const before = await left()
  const { start, secrets, postgres, processes, data } = await place()
  const it = start()
  await it.ready
  return {
    ...it,
    secrets: secrets(),
    kept: await onDatabase(postgres, secrets(), 'select what from kept'),
    admin: readFileSync(join(data, 'admin.json'), 'utf8'),
    admins: await onDatabase(postgres, secrets(), 'select email from users where admin'),
    former: before.filter((one) => isRunning(one)),
    processes: processes(),
    authorizeStatus: await authorizeStatus(data, (await started()).addresses),
  }
})

const stopped = chapter(async () => {
  const { kill, ended, processes } = await startedAgain()
  // As they come from npm, one after the other for one key; a signal that is not handled would end it at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) kill(signal)
  const code = await ended
  return { code, running: processes.filter((one) => isRunning(one)) }
})

test('a start brings everything up, says where, and a signal stops all of it', async (t) => {
  const { api, data, processes } = await place()
  const first = await started()
  const names = ['api', 'postgres', 'sites', 'temporal', 'worker']
  t.deepEqual(first.processes.map(({ name }) => name).toSorted(), names)
  t.is(first.apiStatus, 200)
  t.true(first.lines.some((line) => line.includes(`http://127.0.0.1:${api}/docs`)))
  t.is(first.addresses.api, `http://127.0.0.1:${api}`)
  t.is(first.secretsMode, 0o600)
  t.deepEqual(first.open, [], 'everything is for its user alone')

  const again = await startedAgain()
  t.deepEqual(again.processes.map(({ name }) => name).toSorted(), names)
  t.is(again.authorizeStatus, 303)
  t.deepEqual(await stopped(), { code: 0, running: [] })
  t.deepEqual(processes(), [])
  t.is(first.factsMode, 0o600)
  for (const file of ['addresses.json', 'conformance.json', 'settings.json'])
    t.false(existsSync(join(data, file)), file)
})

test('the first start makes an admin and says where the password is, and later starts leave it', async (t) => {
  const { lines, admin } = await started()
  t.true(lines.some((line) => line.includes('admin@switchyard.localhost') && line.includes('admin.json')))
  const again = await startedAgain()
  t.is(again.admin, admin)
  t.deepEqual(again.admins, [{ email: 'admin@switchyard.localhost' }])
  const { password } = JSON.parse(admin) as { password: string }
  t.false([...lines, ...again.lines].some((line) => line.includes(password)))
})

test('a second start while one runs says so and leaves the first alone', async (t) => {
  const { code, lines, apiStatus } = await startedTwice()
  t.is(code, 1)
  const { pid } = await started()
  t.true(lines.some((line) => line.endsWith(`kill ${pid}`)))
  t.is(apiStatus, 200)
})

test('a process that dies is started again, Postgres and Temporal included', async (t) => {
  const { killed, processes, apiStatus } = await died()
  const nameOf = ({ name }: { name: string }) => name
  t.deepEqual(processes.map(nameOf).toSorted(), killed.map(nameOf).toSorted())
  t.false(processes.some(({ pid }) => killed.some((one) => one.pid === pid)))
  t.is(apiStatus, 200)
})

test('what a killed starter and its warden have left is ended by the next start', async (t) => {
  const before = await left()
  t.is(before.length, 5)
  // Temporal ends by itself if it has to tell its starter something.
  const lasting = before.filter(({ name }) => name !== 'temporal')
  t.true(lasting.every(({ running }) => running))
  const { former, lines } = await startedAgain()
  t.deepEqual(former, [])
  t.true(lines.some((line) => lasting.every(({ name }) => line.includes(name))))
})

test('a start after the starter was killed goes on with the same data', async (t) => {
  const { secrets, kept } = await startedAgain()
  t.is(secrets, (await started()).secrets)
  t.deepEqual(kept, [{ what: 'a thing' }])
})

test('what a killed starter has left is ended by its warden', async (t) => {
  // Its own Postgres and Temporal would prove nothing.
  const given = { DATABASE_URL: (await createTestDatabase(t)).url, TEMPORAL_ADDRESS: sharedServers().temporal }
  const { start, processes, records } = await installation(given)
  t.teardown(() => endRecorded(records))
  const first = start({ sites: placeholder('sites') })
  await first.ready
  const before = processes()
  t.deepEqual(before.map(({ name }) => name).toSorted(), ['api', 'sites', 'worker'])
  first.kill('SIGKILL')
  await eventually(60, 'all of it has ended', () => !before.some((one) => isRunning(one)) || undefined)
})

test('taken ports are named with the variable that changes them before anything is started', async (t) => {
  const { api, postgres, data, start, processes } = await installation()
  const blockers = [api, postgres].map((port) => createServer().listen(port, '127.0.0.1'))
  t.teardown(() => blockers.forEach((server) => server.close()))
  await Promise.all(blockers.map((server) => once(server, 'listening')))
  const { lines, ended } = start()
  t.is(await ended, 1)
  const [first = '', second = '', ...more] = lines
  t.regex(first, new RegExp(`\\b${api}\\b.*\\bPORT\\b`))
  t.regex(second, new RegExp(`\\b${postgres}\\b.*\\bPOSTGRES_PORT\\b`))
  t.deepEqual(more, [])
  t.deepEqual(processes(), [])
  t.false(existsSync(join(data, 'secrets.json')))
})

function chapter<T>(happens: () => Promise<T>): () => Promise<T> {
  let seen: Promise<T> | undefined
  return () => (seen ??= happens())
}

function wardenOf(data: string): number {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return Number.parseInt(all.find((line) => line.includes('warden.ts') && line.includes(data)) ?? '', 10)
}

type Addresses = { api: string; sites: string[] }

/** Asks the site that uses OAuth, the last one, to send a browser back to this API: 303 if it would. */
async function authorizeStatus(data: Installation['data'], { api, sites }: Addresses): Promise<unknown> {
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

async function onDatabase(port: number, secrets: string, query: string): Promise<unknown[]> {
  const { postgresPassword } = JSON.parse(secrets) as { postgresPassword: string }
  const client = new Client({
    connectionString: `postgres://switchyard:${postgresPassword}@127.0.0.1:${port}/switchyard`,
  })
  await client.connect()
  try {
    return (await client.query(query)).rows
  } finally {
    await client.end()
  }
}

/** What in a data folder anybody else may read, list or change. The group of Postgres's user may pass through the top. */
function openToOthers(data: string): string[] {
  const inside = readdirSync(data, { recursive: true, encoding: 'utf8' })
  const isOpen = (path: string, bits: number): boolean => (lstatSync(path).mode & bits) !== 0
  const paths = inside.map((name) => join(data, name)).filter((path) => existsSync(path))
  return [...(isOpen(data, 0o067) ? [data] : []), ...paths.filter((path) => isOpen(path, 0o077))]
}
