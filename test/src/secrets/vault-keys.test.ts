// @promise vault-keys
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as auth from '../../../api/auth.ts'
import * as health from '../../../api/health.ts'
import { freePorts } from '../../../bin/local/ports.ts'
import { databaseClock } from '../../../src/clock.ts'
import { readConfig } from '../../../src/config/config.ts'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { createSealing } from '../../../src/secrets/sealing.ts'
import { createVaultKeys } from '../../../src/secrets/vault-keys.ts'
import { call } from '../../helpers/client.ts'
import { openDatabaseDoor } from '../../helpers/database-door.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startPlatform, testEnvironment } from '../../helpers/platform.ts'
import { startProcess } from '../../helpers/processes.ts'
import { ownEnvironment } from '../../helpers/servers.ts'

const key = (name: string): string => `${name}:${randomBytes(32).toString('base64')}`

/** An environment of this test's own, whose keys differ from start to start, and its database. */
async function openKeyring(t: ExecutionContext, more: Record<string, string> = {}) {
  const environment: Record<string, string> = await testEnvironment(t, { env: { PORT: '0', ...more } })
  const under = (...keys: string[]) => ({ ...environment, VAULT_KEYS: keys.join(',') })
  const database = createDatabase(readConfig(environment), createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const canaries = () => database('vault_canaries').orderBy('keyName').pluck<string[]>('key_name')
  return { under, database, canaries }
}

/** The vault keys of a process, in this one. */
function keysOf(database: Database, env: Record<string, string>) {
  const { vaultKeys: keys } = readConfig(env)
  const sealing = createSealing(keys)
  return { sealing, ...createVaultKeys({ database, clock: databaseClock, sealing, keys }) }
}

/** Starts a process that may end by itself. */
function launch(t: ExecutionContext, name: 'api' | 'worker', env: Record<string, string>) {
  const file = join(import.meta.dirname, `../../../bin/${name}.ts`)
  const child = spawn(process.execPath, [file], {
    env: { ...ownEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(String(chunk)))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { exited, output: () => output.join('') }
}

async function refused(t: ExecutionContext, name: 'api' | 'worker', env: Record<string, string>): Promise<string> {
  const { exited, output } = launch(t, name, env)
  t.is(await exited, 1, output())
  t.notRegex(output(), /"msg":"(listening|polling)"/)
  for (const pair of env['VAULT_KEYS']?.split(',') ?? []) t.false(output().includes(pair.slice(pair.indexOf(':') + 1)))
  return output()
}

test('the first start gives each key its canary, and later starts with the same keys and others besides serve', async (t) => {
  const { under, database, canaries } = await openKeyring(t)
  const [k1, k2] = [key('k1'), key('k2')]
  await keysOf(database, under(k1)).prove()
  t.deepEqual(await canaries(), ['k1'])
  for (const keys of [
    [k1, k2],
    [k2, k1],
  ])
    await keysOf(database, under(...keys)).prove()
  t.deepEqual(await canaries(), ['k1', 'k2'])
})

test('the API refuses to start with a key of the same name and other bytes, the worker with a key missing', async (t) => {
  const { under, database, canaries } = await openKeyring(t)
  const k1 = key('k1')
  await keysOf(database, under(k1)).prove()
  const [wrong, missing] = await Promise.all([
    refused(t, 'api', under(key('k1'), key('k2'))),
    refused(t, 'worker', under(key('k3'))),
  ])
  t.regex(wrong, /The key "k1" in VAULT_KEYS differs from the key "k1" that this database was written with/)
  t.notRegex(wrong, /The key "k2"/)
  t.regex(
    missing,
    /The key "k1" is in use, but VAULT_KEYS does not list it.*only after `npm run admin -- rotate-keys` has finished/,
  )
  t.deepEqual(await canaries(), ['k1'])
})

test('of two processes that start at the same instant with different keys one is refused', async (t) => {
  const { under, database, canaries } = await openKeyring(t)
  const pairs = [
    [key('k1'), key('k1')],
    [key('a'), key('b')],
  ]
  for (const pair of pairs) {
    const starts = await Promise.allSettled(pair.map((one) => keysOf(database, under(one)).prove()))
    t.deepEqual(starts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    t.is((await canaries()).length, 1)
    await database('vault_canaries').delete()
  }
})

test('a key that is retired need not be listed, must be right if it is, and is in use again once it is the current one', async (t) => {
  const { under, database } = await openKeyring(t)
  const [k1, k2] = [key('k1'), key('k2')]
  await keysOf(database, under(k1, k2)).prove()
  await database('vault_canaries').where({ keyName: 'k1' }).update({ retiredAt: new Date() })
  await keysOf(database, under(k2)).prove()
  await keysOf(database, under(k2, k1)).prove()
  await t.throwsAsync(keysOf(database, under(k2, key('k1'))).prove(), { message: /"k1"/ })
  // Listed only, it stays retired; a restart between rotation and removal does not bring it back.
  await keysOf(database, under(k2)).prove()
  await keysOf(database, under(k1, k2)).prove()
  await t.throwsAsync(keysOf(database, under(k2)).prove(), { message: /"k1" is in use/ })
})

test('while the keys cannot be proved an API serves what needs none, and seals nothing until they are', async (t) => {
  const [port = 0] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const { under, database, canaries } = await openKeyring(t, { PORT: String(port), BASE_URL: url })
  const k1 = key('k1')
  // A new account is mailed a token, which is sealed.
  const account = { email: 'ada@example.com', password: 'a good password' }
  const earlier = await startPlatform(t, { env: under(k1) })
  await earlier.services.users.register(account)
  await database.raw('alter table vault_canaries rename to vault_canaries_away')
  const api = await startProcess(t, 'api', under(k1))
  t.true(api.logs.some((line) => line.includes('cannot verify the vault keys yet')))
  t.is((await call({ url }, auth.register, { body: { ...account, email: 'b@example.com' } })).status, 500)
  const someone = { url, token: (await call({ url }, auth.login, { body: account })).body.accessToken }
  await call(someone, auth.acceptTerms).then(({ body }) => body)
  const body = { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' as const }
  const answer = await call(someone, agents.createAgent, { body })
  t.is(answer.failure.code, 'INTERNAL_ERROR')
  t.truthy(answer.headers.get('retry-after'))
  t.is((await call({ url }, health.healthz)).status, 200)
  await database.raw('alter table vault_canaries_away rename to vault_canaries')
  await eventually(
    60,
    'the keys are proved',
    () => api.logs.some((line) => line.includes('vault keys verified')) || undefined,
  )
  t.deepEqual(await canaries(), ['k1'])
  t.is((await call(someone, agents.createAgent, { body })).status, 201)
})

test('a process that starts while Postgres is away proves its keys once it is back, and ends if they are wrong', async (t) => {
  const postgres = await openDatabaseDoor(t, (await createTestDatabase(t)).url)
  const { under, database } = await openKeyring(t, { DATABASE_URL: postgres.url })
  const k1 = key('k1')
  await keysOf(database, under(k1)).prove()
  await postgres.stop()
  // As a process does at its start.
  const right = keysOf(database, under(k1))
  const logs: string[] = []
  const logger = createLogger('info', 'test', { write: (line: string) => void logs.push(line) })
  await right.proveAtStart({
    logger,
    refuse: ({ message }) => t.fail(message),
  })
  const wrong = launch(t, 'api', under(key('k1')))
  await eventually(60, 'the other one listens, too', () => wrong.output().includes('"listening"') || undefined)
  const seal = () => right.sealing.seal('a secret', { id: 'entry', column: 'vault_entries.credential' })
  t.throws(seal)
  await postgres.start()
  t.is(await wrong.exited, 1)
  t.regex(wrong.output(), /The key "k1" in VAULT_KEYS differs from the key/)
  await eventually(
    60,
    'the keys are proved',
    () => logs.some((line) => line.includes('vault keys verified')) || undefined,
  )
  t.regex(seal(), /^k1\./)
})
