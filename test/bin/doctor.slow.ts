// @promise doctor
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import { makeAuthority, makeServer } from '../../bin/local/issue-certificates.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { ensureDatabase } from '../../bin/local/postgres/postgres.ts'
import { endRecorded } from '../../bin/local/process-record.ts'
import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createLogger } from '../../src/logger.ts'
import { aheadBy } from '../helpers/clock.ts'
import { onServer } from '../helpers/database.ts'
import { runDoctor } from '../helpers/doctor.ts'
import { eventually } from '../helpers/eventually.ts'
import { installation, type Installation, type Start } from '../helpers/installation.ts'
import { startMailServer } from '../helpers/mail-server.ts'
import { startPgBouncer } from '../helpers/pgbouncer.ts'
import { testWith } from '../helpers/programs.ts'

const root = join(import.meta.dirname, '../..')
const real = { api: join(root, 'bin/api.ts'), worker: join(root, 'bin/worker.ts') }
const day = 24 * 60 * 60 * 1000

/** One `npm start` with its real API and worker; each test plants a fault beside it, or in it for a while. */
let place: Installation
let started: Start
let settings: Record<string, string>
/** Root can give the installation a small disk of its own. */
const isRoot = process.getuid?.() === 0

test.before(async () => {
  place = await installation()
  if (isRoot) {
    mkdirSync(place.data, { recursive: true, mode: 0o755 })
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1500m,mode=0755', 'tmpfs', place.data])
  }
  started = place.start(real)
  await started.ready
  settings = JSON.parse(readFileSync(join(place.data, 'settings.json'), 'utf8')) as Record<string, string>
})

test.after.always(async () => {
  started.kill('SIGTERM')
  await started.ended
  await endRecorded(place.records)
  if (isRoot) execFileSync('umount', ['--lazy', place.data])
})

const doctor = (env: Record<string, string> = {}, ...words: string[]) =>
  runDoctor({ DATA_DIR: place.data, ...env }, ...words)

/** The doctor prints one line, which says all of this, and its exit code tells a failure from a warning. */
async function names(t: ExecutionContext, env: Record<string, string>, line: RegExp, ...words: string[]) {
  const { exitCode, lines, stderr } = await doctor(env, ...words)
  const said = lines.join('\n')
  t.is(lines.length, 1, said)
  t.regex(said, line)
  t.regex(said, / Fix: [A-Z].*\.?$/)
  t.deepEqual([exitCode, stderr], [said.startsWith('failing') ? 1 : 0, ''], said)
  return said
}

async function isSilent(t: ExecutionContext, env: Record<string, string> = {}) {
  const { exitCode, lines, stderr } = await doctor(env)
  t.regex(lines.join('\n'), /^All \d+ checks found nothing wrong\.$/)
  t.deepEqual([exitCode, stderr], [0, ''])
}

async function listen(t: ExecutionContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  return (server.address() as AddressInfo).port
}

const serve = async (t: ExecutionContext, handler: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(t, createServer(handler))}`

const nobody = async (): Promise<number> => (await freePorts(1))[0]!

const query = <T extends object>(sql: string, values: unknown[] = []) =>
  onServer(settings['DATABASE_URL']!, (client) => client.query<T>(sql, values))

const secrets = (): string[] => [
  settings['VAULT_KEYS']!.split(':')[1]!,
  new URL(settings['DATABASE_URL']!).password,
  settings['JWT_PRIVATE_KEY']!.slice(40, 80),
]

test.serial('a good installation: the doctor is silent, and lists its checks if asked, without a secret', async (t) => {
  await isSilent(t)
  const { lines, exitCode } = await doctor({}, '--all', '--try-providers')
  t.is(exitCode, 0)
  t.true(lines.length > 20)
  for (const line of lines.slice(0, -1)) t.regex(line, /^ok [a-z ]+: \S.*\.$/)
  for (const secret of secrets()) t.false(lines.join('\n').includes(secret))
  const wrong = await doctor({}, '--al')
  t.is(wrong.exitCode, 1)
  t.regex(wrong.stderr, /^There is no option "--al": npm run admin -- doctor /)
})

test.serial('1. a wrong public address', async (t) => {
  await names(t, { BASE_URL: `http://127.0.0.1:${await nobody()}` }, /^failing public address: Nothing answers at /)
  const other = await serve(t, (_, response) => response.end('<h1>Welcome to nginx!</h1>'))
  await names(t, { BASE_URL: other }, /^failing public address: Something other than Switchyard answers at /)
  const twin = await serve(t, (_, response) => response.end('{"keys":[{"kid":"another"}]}'))
  await names(t, { BASE_URL: twin }, /^failing public address: .* leads to another installation/)
  await names(t, { BASE_URL: `http://localhost:${place.api}` }, /^failing cookies: .* knows itself as http:\/\/127/)
})

test.serial('2. a clock that is two minutes ahead', async (t) => {
  await names(t, aheadBy(120_000), /^failing clock: This machine's clock is 120 seconds ahead of Postgres's\./)
})

test.serial('3. a frozen worker', async (t) => {
  const worker = place.processes().find(({ name }) => name === 'worker')
  process.kill(worker!.pid, 'SIGSTOP')
  try {
    const lines = await eventually(60, 'the doctor misses it', async () => {
      const found = await doctor()
      return found.lines.some((line) => line.startsWith('failing workers:')) ? found.lines : undefined
    })
    t.regex(
      lines.join('\n'),
      /^failing workers: No worker polls .* Fix: Start a worker .* or restart the one that is frozen\./m,
    )
  } finally {
    process.kill(worker!.pid, 'SIGCONT')
  }
  await eventually(150, 'it is back', async () => ((await doctor()).lines.length === 1 ? true : undefined))
  await isSilent(t)
})

test.serial('4. a full disk', async (t) => {
  if (!isRoot) {
    t.pass('Only root can mount a small disk.')
    return
  }
  const file = join(place.data, 'filling')
  t.teardown(() => rmSync(file, { force: true }))
  const fill = (megabytes: number) => writeFileSync(file, Buffer.alloc(megabytes * 1024 ** 2))
  const free = () =>
    Number(execFileSync('df', ['--output=avail', '-BM', place.data], { encoding: 'utf8' }).match(/\d+/)![0])
  const all = free()
  fill(all - 180)
  await names(t, {}, /^warning disk: 12 % \(0\.2 GiB\) of the disk of .* are free\. Fix: Enlarge the disk/)
  fill(all - 60)
  await names(t, {}, /^failing disk: [34]\.\d % \(0\.1 GiB\) of the disk of .* are free\. Fix: Enlarge the disk/)
  rmSync(file)
  await isSilent(t)
})

test.serial('5. a lost vault key, and a replaced one', async (t) => {
  const [name = '', old = ''] = settings['VAULT_KEYS']!.split(':')
  const other = Buffer.alloc(32, 7).toString('base64')
  const lost = new RegExp(`^failing vault keys: The key "${name}" is in use, but VAULT_KEYS does not list it\\.`)
  await names(t, { VAULT_KEYS: `new:${other}` }, lost)
  const replaced = await names(t, { VAULT_KEYS: `${name}:${other}` }, /^failing vault keys: .* differs from the key /)
  for (const key of [old, other]) t.false(replaced.includes(key))
})

test.serial('6. a mail server that is away, and one that refuses the password', async (t) => {
  const mail = { MAIL_FROM: 'switchyard@example.com' }
  const away = `smtp://sender:hunter2@127.0.0.1:${await nobody()}`
  const said = await names(
    t,
    { ...mail, SMTP_URL: away },
    /^failing mail: The mail server 127\.0\.0\.1:\d+ does not accept us \(E/,
  )
  t.false(said.includes('hunter2'))
  const server = await startMailServer(t)
  await isSilent(t, { ...mail, SMTP_URL: server.url })
  t.deepEqual(server.arrived, [])
  server.refuse({ at: 'CONNECT', status: 554 })
  await names(t, { ...mail, SMTP_URL: server.url }, /^failing mail: .* does not accept us \(.*554\)/)
})

const deadlines = "set statement_timeout = '30s'; set idle_in_transaction_session_timeout = '5s'"
const ignored = 'extra_float_digits,statement_timeout,idle_in_transaction_session_timeout'

testWith('pgbouncer')('7. Postgres behind PgBouncer, which refuses or drops our deadlines', async (t) => {
  const at = async (how: { deadlines?: string; ignored?: string }) => ({
    DATABASE_URL: await startPgBouncer(t, settings['DATABASE_URL']!, how),
  })
  await names(t, await at({}), /^failing postgres: The pooler in front of Postgres refuses .* Fix: Set ignore_startup_/)
  await names(
    t,
    await at({ ignored }),
    /^failing pooler: The pooler .* ignores statement_timeout and idle_in_.*connect_query/,
  )
  await isSilent(t, await at({ ignored, deadlines }))
})

test.serial('8. an older schema, a newer one, and that of another program', async (t) => {
  const url = new URL(settings['DATABASE_URL']!)
  await ensureDatabase(url.href, 'older')
  url.pathname = '/older'
  const database = createDatabase({ database: { url: url.href, pool: 2 } }, createLogger('silent', 'test'), {
    deadlines: false,
  })
  t.teardown(() => database.destroy())
  await migrate(database, migrations.slice(0, -1), () => undefined)
  const last = migrations.at(-1)!.name
  const older = new RegExp(
    `^failing schema: The database lacks these migrations: ${last}\\. Fix: Run: npm run migrate$`,
  )
  await names(t, { DATABASE_URL: url.href }, older)
  await database('migrations').insert([
    { name: last, batch: 2 },
    { name: '299901010000-later', batch: 2 },
  ])
  await names(t, { DATABASE_URL: url.href }, /^failing schema: The database is newer than this code, which lacks 2999/)
  await database('migrations').delete()
  await names(t, { DATABASE_URL: url.href }, /^failing schema: Another version of Switchyard or another program /)
})

test.serial('9. a dead key of a provider, when asked to try it', async (t) => {
  const key = 'sk-proj-0123456789abcdefghij'
  const provider = await serve(t, ({ headers }, response) => {
    response.writeHead(401, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify({ error: { message: `Incorrect API key: ${headers.authorization}`, code: 'invalid_api_key' } }),
    )
  })
  const env = { OPENAI_MODEL: 'a-model', OPENAI_API_KEY: key, OPENAI_BASE_URL: `${provider}/v1`, BILLING: 'off' }
  await isSilent(t, env)
  const said = await names(
    t,
    env,
    /^failing providers: The provider openai\S* does not answer: .* Fix: Check its key/,
    '--try-providers',
  )
  t.false(said.includes(key))
})

test.serial('10. a namespace without our search attributes, and none', async (t) => {
  const connection = await Connection.connect({ address: settings['TEMPORAL_ADDRESS']! })
  t.teardown(() => connection.close())
  await connection.workflowService.registerNamespace({
    namespace: 'bare',
    workflowExecutionRetentionPeriod: { seconds: 3 * 86_400 } as never,
  })
  const bare = { TEMPORAL_NAMESPACE: 'bare' }
  await eventually(30, 'the namespace is known', async () => {
    const { lines } = await doctor(bare)
    return lines.some((line) => line.startsWith('failing temporal:')) ? undefined : true
  })
  await names(
    t,
    bare,
    /^failing search attributes: Temporal lacks the search attributes AgentId, OwnerId, Trigger, WaitingFor\. .*--name AgentId --type Keyword/,
  )
  await names(
    t,
    { TEMPORAL_NAMESPACE: 'none' },
    /^failing temporal: Temporal has no namespace "none"\. .*namespace create/,
  )
  await names(
    t,
    { TEMPORAL_ADDRESS: `127.0.0.1:${await nobody()}` },
    /^failing temporal: Temporal cannot be reached at /,
  )
})

test.serial('11. an expired certificate, and one of an unknown authority', async (t) => {
  const old = new Date(Date.now() - 400 * day)
  const authority = await makeAuthority(old)
  const expired = await makeServer(authority, old)
  const ca = join(place.data, 'old-ca.pem')
  writeFileSync(ca, authority.cert)
  const behind = { TRUSTED_PROXIES: '1', NODE_EXTRA_CA_CERTS: ca }
  const at = async (pair: { cert: string; key: string }) => ({
    ...behind,
    BASE_URL: `https://localhost:${await listen(
      t,
      createTlsServer(pair, (_, response) => response.end()),
    )}`,
  })
  await names(
    t,
    await at(expired),
    /^failing certificate: The certificate of localhost:\d+ expired [23] days ago\. Fix: Renew it/,
  )
  const unknown = await makeServer(await makeAuthority(new Date()), new Date())
  await names(
    t,
    await at(unknown),
    /^failing certificate: Browsers refuse the certificate of localhost:\d+ \([A-Z_]+\)/,
  )
})

test.serial('12. an old backup, none, and one that failed', async (t) => {
  t.teardown(() => query('delete from backups').then(() => query('update migrations set migration_time = now()')))
  const record = (hours: number, error: string | null = null) =>
    query(
      `insert into backups (id, began_at, ended_at, error)
         values (gen_random_uuid(), now() - make_interval(hours => $1), now() - make_interval(hours => $1), $2)`,
      [hours, error],
    )
  await query(`update migrations set migration_time = now() - interval '30 hours'`)
  await names(t, {}, /^warning backups: There is no backup\. Fix: Run: npm run admin -- backup/)
  await record(30)
  await names(t, {}, /^warning backups: The last backup is 30 hours old\. Fix: Run: npm run admin -- backup/)
  await record(1, 'No space left on device.')
  await names(t, {}, /^warning backups: The last backup is 30 hours old\. The last attempt failed: No space left/)
  await record(0)
  await isSilent(t)
})

test.serial('the settings themselves: each problem is a line', async (t) => {
  const { exitCode, lines } = await doctor({ PORT: 'eighty', REGISTRATON: 'closed' })
  t.is(exitCode, 1)
  t.deepEqual(lines.length, 2, lines.join('\n'))
  for (const line of lines) t.regex(line, /^failing settings: (PORT|REGISTRATON) .* Fix: /)
})
