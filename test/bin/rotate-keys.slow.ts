// @promise vault-keys
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { Client as Connection } from 'pg'
import * as agents from '../../api/agents.ts'
import * as vault from '../../api/vault.ts'
import { databaseClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config/config.ts'
import { createDatabase, type Database } from '../../src/database/database.ts'
import { newId } from '../../src/ids.ts'
import { createLogger } from '../../src/logger.ts'
import { nameOfColumn, sealedColumns } from '../../src/secrets/sealed-columns.ts'
import { createSealing } from '../../src/secrets/sealing.ts'
import { createVaultKeys, VaultKeysError } from '../../src/secrets/vault-keys.ts'
import { createVaultRotation, type OnProgress } from '../../src/secrets/vault-rotation.ts'
import { call, type Client } from '../helpers/client.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { untilBlocked } from '../helpers/hold.ts'
import { connectTracker, customer, deliver, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { ownEnvironment } from '../helpers/servers.ts'
import { startSites, type Sites } from '../helpers/sites.ts'

const key = (name: string): string => `${name}:${randomBytes(32).toString('base64')}`
const placeholders = { DATABASE_URL: 'postgres://127.0.0.1/none', JWT_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----' }
const keysIn = (...keys: string[]) => readConfig({ ...placeholders, VAULT_KEYS: keys.join(',') }).vaultKeys
const sealingOf = (...keys: string[]) => createSealing(keysIn(...keys))

/** The vault keys as a process proves them. */
const provenKeys = (database: Database, ...keys: string[]) =>
  createVaultKeys({ database, clock: databaseClock, sealing: sealingOf(...keys), keys: keysIn(...keys) })

/** `npm run admin -- rotate-keys` with nothing else in its environment than it needs. */
function startRotation(t: ExecutionContext, DATABASE_URL: string, ...keys: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/admin.ts'), 'rotate-keys'], {
    env: { ...ownEnvironment(), DATABASE_URL, VAULT_KEYS: keys.join(',') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => void child.kill('SIGKILL'))
  const said: string[] = []
  const heard = createInterface(child.stdout).on('line', (line) => said.push(line))
  child.stderr.on('data', (chunk: Buffer) => said.push(String(chunk)))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, said: said.join('\n') }))
  return { child, ended, firstLine: once(heard, 'line').then(([line]) => String(line)) }
}

/** Vault entries, each with its own origin and its own token, sealed as the platform seals; tokens by entry. */
async function makeEntries(database: Database, ownerId: string, count: number, ...keys: string[]) {
  const sealing = sealingOf(...keys)
  const ids = Array.from({ length: count }, () => newId())
  const tokens = new Map(ids.map((id) => [id, randomBytes(12).toString('hex')]))
  const sealed = [...tokens].map(([id, token]) => sealing.seal(token, { id, column: 'vault_entries.credential' }))
  await database.raw(
    `insert into vault_entries (id, owner_id, dialect, origin, name, manifest, manifest_fetched_at, manifest_checked_at,
       auth_type, credential, created_at, updated_at, renewed_at)
     select given.id, ?, 'manifest', 'https://' || given.id || '.example', 'A site', '{}', now(), now(),
       'bearer', given.credential, now(), now(), now()
     from unnest(?::uuid[], ?::text[]) as given (id, credential)`,
    [ownerId, ids, sealed],
  )
  return tokens
}

/** Everything that is sealed, of all columns. */
async function allSealed(database: Database) {
  const rows = sealedColumns.map(async (sealed) => {
    const found: { id: string; value: string }[] = await database(sealed.table)
      .whereNotNull(sealed.column)
      .select('id', { value: sealed.column })
    return found.map((row) => ({ ...row, column: nameOfColumn(sealed) }))
  })
  return (await Promise.all(rows)).flat()
}

/** How many values are sealed under a key. */
const countUnder = async (database: Database, name: string): Promise<number> =>
  (await allSealed(database)).filter(({ value }) => value.startsWith(`${name}.`)).length

/** Everything in plain, by id; throws at the first value that the keys do not open. */
async function openAll(database: Database, ...keys: string[]): Promise<Map<string, string>> {
  const sealing = sealingOf(...keys)
  return new Map((await allSealed(database)).map(({ value, ...place }) => [place.id, sealing.open(value, place)]))
}

/** Does something over and over until it is told to stop; answers how often. A failure comes out at the end. */
function keepDoing(work: () => Promise<unknown>) {
  const stopping = new AbortController()
  const done = (async () => {
    let times = 0
    while (!stopping.signal.aborted) {
      await work()
      times += 1
      // Six of these in one process must leave it time to open connections, on a busy machine, too.
      await delay(300)
    }
    return times
  })()
  done.catch(() => undefined)
  return () => {
    stopping.abort()
    return done
  }
}

/** Somebody who replaces a token, removes and connects a site, and receives webhooks, all over HTTP and all the time. */
async function startTraffic(client: Client, sites: Sites) {
  const someone = await customer(client)
  const agent = await webhookAgent(someone)
  let entryId = await connectTracker(someone, sites)
  let token = ''
  const stops = [
    keepDoing(async () => {
      for (let round = 0; round < 5; round += 1) {
        token = `replaced-${randomBytes(12).toString('hex')}`
        await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } }).then(({ body }) => body)
      }
      await call(someone, vault.removeFromVault, { params: { entryId } }).then(({ body }) => body)
      entryId = await connectTracker(someone, sites)
      token = ''
    }),
    keepDoing(async () => (await deliver(client, agent, {})).body.runId),
    keepDoing(async () => {
      const { id: agentId } = await webhookAgent(someone)
      // Its row stays, and so does its secret; the tier allows so many agents only.
      await call(someone, agents.deleteAgent, { params: { agentId } }).then(({ body }) => body)
    }),
  ]
  return async () => ({ times: await Promise.all(stops.map((stop) => stop())), entryId, token, agent })
}

/** Locks a row for as long as it takes: connections of the platform's own do not wait so long for their next statement. */
async function hold(t: ExecutionContext, connectionString: string, entryId: string): Promise<() => Promise<unknown>> {
  const client = new Connection({ connectionString })
  // The database may be dropped first, if the test fails.
  client.on('error', () => undefined)
  await client.connect()
  t.teardown(() => client.end())
  await client.query('begin')
  await client.query('select from vault_entries where id = $1 for update', [entryId])
  return () => client.query('rollback')
}

// By itself: it keeps this process so busy that the others would wait too long for their connections.
test.serial(
  'a rotation under load that is killed in the middle ends with everything readable under the new key',
  async (t) => {
    const sites = await startSites(t)
    const [k1, k2] = [key('k1'), key('k2')]
    const { url: DATABASE_URL } = await createTestDatabase(t)
    // One platform still has the old key first, the other the new one already.
    const start = (...keys: string[]) => startPlatform(t, { sites, env: { DATABASE_URL, VAULT_KEYS: keys.join(',') } })
    const [older, newer] = [await start(k1, k2), await start(k2, k1)]
    const { database } = older.services
    for (const { services } of [older, newer]) await services.vaultKeys.prove()
    const { ownerId } = await database('vault_entries')
      .where({ id: await connectTracker(await customer(older), sites) })
      .first<{ ownerId: string }>('ownerId')
    // Nothing but the rotation touches these.
    const tokens = await makeEntries(database, ownerId, 450, k1, k2)
    const [stopOlder, stopNewer] = [await startTraffic(older, sites), await startTraffic(newer, sites)]
    const untouched = async () =>
      (await allSealed(database)).filter(({ id, value }) => tokens.has(id) && value.startsWith('k1.')).length

    // However late the kill comes, a rotation does not get past a row that somebody else has locked.
    const release = await hold(t, DATABASE_URL, [...tokens.keys()][300] ?? '')
    const { child, firstLine, ended } = startRotation(t, DATABASE_URL, k2, k1)
    t.true((await firstLine).startsWith('vault_entries.credential: '))
    child.kill('SIGKILL')
    t.is((await ended).signal, 'SIGKILL')
    const left = await untouched()
    await release()
    t.true(left > 0 && left < tokens.size, `${left} of ${tokens.size} values are still under the old key`)
    const states = [await stopOlder()]
    const last = await startRotation(t, DATABASE_URL, k2, k1).ended
    states.push(await stopNewer())

    t.is(last.code, 0, last.said)
    t.true(last.said.endsWith(': k1'), last.said)
    t.is(await countUnder(database, 'k1'), 0)
    const plain = await openAll(database, k2)
    for (const [id, token] of tokens) t.is(plain.get(id), token)
    for (const { times, entryId, token, agent } of states) {
      t.true(times.every((count) => count > 0))
      t.true(plain.get(entryId)?.includes(token))
      t.is(plain.get(agent.id), agent.webhookSecret)
    }
    await t.notThrowsAsync(provenKeys(database, k2).prove())
  },
)

/** A database with so many entries under its old key, and rotations to the new one that one can look into. */
async function openRotation(
  t: ExecutionContext,
  count: number,
  [older, newer]: readonly [string, string] = ['k1', 'k2'],
) {
  const [k1, k2] = [key(older), key(newer)]
  const { url: DATABASE_URL } = await createTestDatabase(t)
  const connect = () => {
    const database = createDatabase({ database: { url: DATABASE_URL, pool: 4 } }, createLogger('silent', 'test'))
    t.teardown(() => database.destroy())
    return database
  }
  const database = connect()
  await provenKeys(database, k1, k2).prove()
  const [ownerId, now] = [newId(), new Date()]
  await database('users').insert({ id: ownerId, email: 'owner@example.com', passwordHash: 'none', createdAt: now })
  const tokens = await makeEntries(database, ownerId, count, k1, k2)
  const rotate = (onProgress: OnProgress = () => undefined, db = database) =>
    createVaultRotation({ database: db, clock: databaseClock, keys: keysIn(k2, k1), onProgress }).rotate()
  const write = (id: string, token: string, db: Pick<Database, 'raw'> = database) =>
    db.raw('update vault_entries set credential = ? where id = ?', [
      sealingOf(k1, k2).seal(token, { id, column: 'vault_entries.credential' }),
      id,
    ])
  return { k1, k2, database, DATABASE_URL, connect, tokens, rotate, write }
}

test('what is written under the old key behind the back of a rotation is found before it ends', async (t) => {
  const { database, k2, tokens, rotate, write } = await openRotation(t, 250)
  const [first = ''] = tokens.keys()
  const writes: Promise<unknown>[] = []
  const report = await rotate((column, done) => {
    if (column === 'vault_entries.credential' && done === 200)
      writes.push(Promise.resolve(write(first, 'written late')))
  })
  t.is((await Promise.all(writes)).length, 1)
  t.deepEqual(report.removable, ['k1'])
  t.is(await countUnder(database, 'k1'), 0)
  t.is((await openAll(database, k2)).get(first), 'written late')
})

test('a value that changes between the look and the update of a rotation is not overwritten', async (t) => {
  const { database, k2, tokens, rotate, write } = await openRotation(t, 10)
  const [entryId = ''] = tokens.keys()
  const changing = await database.transaction()
  await write(entryId, 'written meanwhile', changing)
  const rotating = rotate()
  await untilBlocked(database)
  await changing.commit()
  t.deepEqual((await rotating).unreadable, [])
  t.is((await openAll(database, k2)).get(entryId), 'written meanwhile')
})

test('several rotations at once do each value once between them', async (t) => {
  const { database, k2, connect, tokens, rotate } = await openRotation(t, 450)
  const reports = await Promise.all([1, 2, 3].map(() => rotate(undefined, connect())))
  const sum = reports.reduce((all, { rotated }) => all + rotated, 0)
  t.is(sum, tokens.size)
  const plain = await openAll(database, k2)
  for (const [id, token] of tokens) t.is(plain.get(id), token)
})

test('a value that no key opens is named without its content, the others are rotated, and its key stays in use', async (t) => {
  const { database, k1, k2, tokens, DATABASE_URL } = await openRotation(t, 20)
  const [damaged = '', foreign = ''] = tokens.keys()
  await database('vault_entries').where({ id: damaged }).update({ credential: 'k1.ZGFtYWdlZA' })
  await database('vault_entries').where({ id: foreign }).update({ credential: 'lost.Zm9yZWlnbg' })
  const { code, said } = await startRotation(t, DATABASE_URL, k2, k1).ended
  t.is(code, 1)
  t.regex(said, new RegExp(`^vault_entries ${damaged}: .*"k1"`, 'm'))
  t.regex(said, new RegExp(`^vault_entries ${foreign}: .*"lost"`, 'm'))
  t.notRegex(said, /ZGFtYWdlZA|Zm9yZWlnbg/)
  const counts = ['k1', 'lost', 'k2'].map((name) => countUnder(database, name))
  t.deepEqual(await Promise.all(counts), [1, 1, tokens.size - 2])
  t.is(await database('vault_canaries').whereNotNull('retiredAt').first(), undefined)
})

test('a rotation refuses keys that are not those of the database, and a new key that no process has yet', async (t) => {
  const { database, k1, k2, tokens, DATABASE_URL } = await openRotation(t, 1)
  const { problems } = await t.throwsAsync<VaultKeysError>(provenKeys(database, key('k2'), k1).proveForRotation(), {
    instanceOf: VaultKeysError,
  })
  t.is(problems.length, 1)
  t.true(problems[0]?.includes('"k2"'))
  const early = await startRotation(t, DATABASE_URL, key('k3'), k2, k1).ended
  t.is(early.code, 1)
  t.true(early.said.includes('"k3"'))
  t.is(await countUnder(database, 'k1'), tokens.size)
  t.deepEqual(await database('vault_canaries').orderBy('keyName').pluck<string[]>('key_name'), ['k1', 'k2'])
})

test('a key is told apart from one whose name begins like its own', async (t) => {
  for (const names of [['key-1', 'key-10'] as const, ['key-10', 'key-1'] as const]) {
    const { rotate } = await openRotation(t, 3, names)
    t.deepEqual(await rotate(), { rotated: 3, unreadable: [], removable: [names[0]] })
  }
})

test('a rotation that has nothing to do says so, and one without a database says what to set', async (t) => {
  const { k1, k2, DATABASE_URL } = await openRotation(t, 0)
  const [idle, unset] = [startRotation(t, DATABASE_URL, k2, k1), startRotation(t, '')]
  t.like(await idle.ended, { code: 0 })
  t.regex((await idle.ended).said, /^Nothing to do\.\n.*: k1$/)
  t.is((await unset.ended).code, 1)
  t.regex((await unset.ended).said, /DATABASE_URL is not set/)
})
