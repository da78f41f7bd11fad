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
import { installation, placeholder, type Installation, type Start } from '../helpers/installation.ts'
import { sharedServers } from '../helpers/servers.ts'

const names = ['api', 'postgres', 'sites', 'temporal', 'worker']
const namesOf = (all: { name: string }[]) => all.map(({ name }) => name).toSorted()

// One story: a whole start is the most costly thing that tests do.
test('a start brings everything up, survives what dies, goes on with the same data, and a signal stops all of it', async (t) => {
  const { start, data, records, api, postgres, processes, apiStatus, secrets } = await installation()
  t.teardown(() => endRecorded(records))
  const readAdmin = () => readFileSync(join(data, 'admin.json'), 'utf8')
  const modeOf = (file: string) => statSync(join(data, file)).mode & 0o777

  const first = start({ sites: placeholder('sites') })
  await first.ready
  t.deepEqual(namesOf(processes()), names)
  t.is(await apiStatus(), 200)
  const addresses = JSON.parse(readFileSync(join(data, 'addresses.json'), 'utf8')) as Addresses
  t.is(addresses.api, `http://127.0.0.1:${api}`)
  t.true(first.lines.some((line) => line.includes(`http://127.0.0.1:${api}/docs`)))
  t.true(first.lines.some((line) => line.includes('admin@switchyard.localhost') && line.includes('admin.json')))
  const token = adminTokenIn(first, api)
  t.deepEqual([modeOf('secrets.json'), modeOf('conformance.json')], [0o600, 0o600])
  t.deepEqual(openToOthers(data), [], 'everything is for its user alone')
  const [firstSecrets, admin] = [secrets(), readAdmin()]

  const second = start()
  t.is(await second.ended, 1, 'a second start leaves the first alone')
  t.true(second.lines.some((line) => line.endsWith(`kill ${first.pid}`)))
  t.is(await apiStatus(), 200)

  await onDatabase(postgres, firstSecrets, `create table kept as select 'a thing' as what`)
  const killed = processes()
  for (const { pid } of killed) process.kill(pid, 'SIGKILL')
  await eventually(120, 'everything runs again, Postgres and Temporal included', () => {
    return killed.every(({ name }) => first.lines.includes(`${name}: running again`)) || undefined
  })
  t.deepEqual(namesOf(processes()), names)
  t.false(processes().some(({ pid }) => killed.some((one) => one.pid === pid)))
  t.is(await apiStatus(), 200)

  process.kill(wardenOf(data), 'SIGKILL')
  first.kill('SIGKILL')
  await first.ended
  const left = processes()
  t.is(left.length, names.length)
  // Temporal ends by itself if it has to tell its starter something.
  const lasting = left.filter(({ name }) => name !== 'temporal')
  t.true(lasting.every((one) => isRunning(one)))
  const again = start()
  await again.ready
  t.false(
    left.some((one) => isRunning(one)),
    'the next start ends what a killed one and its warden have left',
  )
  t.true(again.lines.some((line) => lasting.every(({ name }) => line.includes(name))))
  t.deepEqual(namesOf(processes()), names)
  t.is(await authorizeStatus(data, addresses), 303)
  const latest = adminTokenIn(again, api)
  t.not(latest, token, 'each start prints a link of its own')
  for (const one of [token, latest]) t.deepEqual(filesWith(data, one), [], 'it is printed only')
  const tracker = JSON.parse(readFileSync(join(data, 'catalogue/tracker.json'), 'utf8')) as CatalogueEntry
  t.deepEqual([tracker.address], addresses.sites.slice(0, 1))
  t.is(modeOf('catalogue/tracker.json'), 0o600)
  t.false(again.lines.some((line) => line.includes(tracker.token)))
  t.deepEqual([secrets(), readAdmin()], [firstSecrets, admin])
  t.deepEqual(await onDatabase(postgres, firstSecrets, 'select what from kept'), [{ what: 'a thing' }])
  const admins = await onDatabase(postgres, firstSecrets, 'select email from users where admin')
  t.deepEqual(admins, [{ email: 'admin@switchyard.localhost' }])
  const { password } = JSON.parse(admin) as { password: string }
  t.false([...first.lines, ...again.lines].some((line) => line.includes(password)))

  const running = processes()
  // As they come from npm, one after the other for one key; a signal that is not handled would end it at once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) again.kill(signal)
  t.is(await again.ended, 0)
  t.false(running.some((one) => isRunning(one)))
  t.deepEqual(processes(), [])
  for (const file of ['addresses.json', 'conformance.json', 'settings.json', 'catalogue'])
    t.false(existsSync(join(data, file)), file)
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

function wardenOf(data: string): number {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return Number.parseInt(all.find((line) => line.includes('warden.ts') && line.includes(data)) ?? '', 10)
}

/** The token in the link for the first admin, which is in the second row. */
function adminTokenIn({ lines }: Start, port: number): string {
  const [first = '', second = ''] = lines.slice(lines.findIndex((line) => line.startsWith('  Console ')))
  const address = `http://127.0.0.1:${port}/console`
  const [, token] = new RegExp(`^  First visit +${address}/first#(sy_admin_[\\w-]{43})$`).exec(second) ?? []
  if (!first.endsWith(` ${address}`) || token === undefined) throw new Error(lines.join('\n'))
  return token
}

/** The files in a data folder that contain a text. */
const filesWith = (data: string, text: string): string[] =>
  readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(data, name)
    return statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(text)
  })

type Addresses = { api: string; sites: string[] }
type CatalogueEntry = { address: string; token: string }

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
