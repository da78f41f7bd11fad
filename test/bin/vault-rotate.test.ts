import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as vault from '../../api/vault.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/database.ts'
import { newId } from '../../src/ids.ts'
import { nameOfColumn, sealedColumns } from '../../src/sealed-columns.ts'
import { createSealing } from '../../src/sealing.ts'
import { createVaultRotation, type TellProgress } from '../../src/vault-rotation.ts'
import { call, type Client } from '../helpers/client.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectTracker, customer, deliver, webhookAgent } from '../helpers/people.ts'
import { startPlatform, testEnvironment, type Platform } from '../helpers/platform.ts'
import { startProcess } from '../helpers/processes.ts'
import { ownEnvironment } from '../helpers/servers.ts'
import { startSites, type Sites } from '../helpers/sites.ts'

const key = (name: string): string => `${name}:${randomBytes(32).toString('base64')}`
const keysIn = (text: string) => readConfig({ ...placeholders, VAULT_KEYS: text }).vaultKeys
const placeholders = { DATABASE_URL: 'postgres://127.0.0.1/none', JWT_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----' }

/** Two platforms on one database: one still has the old key first, the other the new one already. */
async function openPlatforms(t: ExecutionContext, sites?: Sites) {
  const [k1, k2] = [key('k1'), key('k2')]
  const { url: DATABASE_URL } = await createTestDatabase(t)
  const start = (...keys: string[]) =>
    startPlatform(t, { ...(sites && { sites }), env: { DATABASE_URL, VAULT_KEYS: keys.join(',') } })
  const older = await start(k1, k2)
  const newer = await start(k2, k1)
  await older.services.vaultKeys.prove()
  await newer.services.vaultKeys.prove()
  return { k1, k2, older, newer, database: older.services.database, DATABASE_URL }
}

/** `npm run vault:rotate` with nothing else in its environment than it needs. */
function startRotation(t: ExecutionContext, DATABASE_URL: string, ...keys: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../bin/vault-rotate.ts')], {
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

/** Copies a vault entry so many times, each with its own origin and its own token, sealed as the platform seals. */
async function multiply({ services }: Platform, entryId: string, count: number): Promise<Map<string, string>> {
  const tokens = new Map(
    Array.from({ length: count }, (): [string, string] => [newId(), randomBytes(12).toString('hex')]),
  )
  const sealed = [...tokens].map(([id, token]) =>
    services.sealing.seal(token, { id, column: 'vault_entries.credential' }),
  )
  await services.database.raw(
    `insert into vault_entries
     select (json_populate_record(entry, json_build_object(
       'id', given.id, 'origin', 'https://' || given.id || '.example', 'credential', given.credential))).*
     from vault_entries entry, unnest(?::text[], ?::text[]) as given (id, credential) where entry.id = ?`,
    [[...tokens.keys()], sealed, entryId],
  )
  return tokens
}

/** How many values are sealed under a key, of all columns. */
async function countUnder(database: Database, name: string): Promise<number> {
  const counts = sealedColumns.map(async ({ table, column }) => {
    const { rows } = await database.raw<{ rows: { count: number }[] }>(
      `select count(*) as count from ${table} where starts_with(${column}, ?)`,
      [`${name}.`],
    )
    return rows[0]?.count ?? 0
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Everything that is sealed, in plain, by id; throws at the first value that the keys do not open. */
async function openAll(database: Database, keys: string): Promise<Map<string, string>> {
  const sealing = createSealing(keysIn(keys))
  const plain = new Map<string, string>()
  for (const sealed of sealedColumns) {
    const { rows } = await database.raw<{ rows: { id: string; value: string }[] }>(
      `select id, ${sealed.column} as value from ${sealed.table} where ${sealed.column} is not null`,
    )
    for (const { id, value } of rows) plain.set(id, sealing.open(value, { id, column: nameOfColumn(sealed) }))
  }
  return plain
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
      await delay(20)
    }
    return times
  })()
  done.catch(() => undefined)
  return {
    stop: () => {
      stopping.abort()
      return done
    },
  }
}

/** Somebody who replaces a token, removes and connects a site, and receives webhooks, all over HTTP and all the time. */
async function startTraffic(client: Client, sites: Sites) {
  const someone = await customer(client)
  const agent = await webhookAgent(someone)
  let entryId = await connectTracker(someone, sites)
  let token = ''
  const replacing = keepDoing(async () => {
    for (let round = 0; round < 5; round += 1) {
      token = `replaced-${randomBytes(12).toString('hex')}`
      await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } }).then(({ body }) => body)
    }
    await call(someone, vault.removeFromVault, { params: { entryId } }).then(({ body }) => body)
    entryId = await connectTracker(someone, sites)
    token = ''
  })
  const receiving = keepDoing(async () => (await deliver(client, agent, {})).body.runId)
  const making = keepDoing(async () => {
    const { id: agentId } = await webhookAgent(someone)
    // Its row stays, and so does its secret; the tier allows so many agents only.
    await call(someone, agents.deleteAgent, { params: { agentId } }).then(({ body }) => body)
  })
  return {
    async stop() {
      const times = await Promise.all([replacing.stop(), receiving.stop(), making.stop()])
      return { times, entryId, token, agent }
    },
  }
}

// By itself: it keeps this process so busy that the others would wait too long for their connections.
test.serial(
  'a rotation under load that is killed twice in the middle ends with everything readable under the new key',
  async (t) => {
    const sites = await startSites(t)
    const { k1, k2, older, newer, database, DATABASE_URL } = await openPlatforms(t, sites)
    const owner = await customer(older)
    const tokens = await multiply(older, await connectTracker(owner, sites), 3000)
    const traffic = { older: await startTraffic(older, sites), newer: await startTraffic(newer, sites) }

    // Of those that nothing but the rotation touches.
    const untouched = async () => {
      const { rows } = await database.raw<{ rows: { count: number }[] }>(
        `select count(*) as count from vault_entries where id = any(?) and starts_with(credential, 'k1.')`,
        [[...tokens.keys()]],
      )
      return rows[0]?.count ?? 0
    }
    let before = await untouched()
    t.is(before, tokens.size)
    for (const _ of [1, 2]) {
      const { child, firstLine, ended } = startRotation(t, DATABASE_URL, k2, k1)
      t.regex(await firstLine, /^vault_entries\.credential: 200 of [\d,]+$/)
      child.kill('SIGKILL')
      t.is((await ended).signal, 'SIGKILL')
      const after = await untouched()
      t.true(after > 0 && after < before, `${before} values were under the old key, then ${after}`)
      t.log(`killed with ${after} of ${tokens.size} values left under the old key`)
      before = after
    }
    const states = [await traffic.older.stop()]
    const last = await startRotation(t, DATABASE_URL, k2, k1).ended
    states.push(await traffic.newer.stop())

    t.is(last.code, 0, last.said)
    t.regex(last.said, /^Sealed [\d,]+ values under the key "k2"\.$/m)
    t.regex(last.said, /they may be taken out of VAULT_KEYS: k1$/m)
    t.is(await countUnder(database, 'k1'), 0)
    const plain = await openAll(database, k2)
    for (const [id, token] of tokens) t.true(plain.get(id)?.includes(token))
    for (const { times, entryId, token, agent } of states) {
      t.log(`replaced ${times[0] * 5} tokens, received ${times[1]} webhooks, made ${times[2]} agents meanwhile`)
      t.true(times.every((count) => count > 0))
      t.true(plain.get(entryId)?.includes(token))
      t.is(plain.get(agent.id), agent.webhookSecret)
    }

    const environment: Record<string, string> = await testEnvironment(t, {
      env: { DATABASE_URL, VAULT_KEYS: k2, PORT: '0' },
    })
    t.is(await (await startProcess(t, 'api', environment)).stop(), 0)
  },
)

/** A rotation in this process that one can look into, over entries that nobody else touches. */
async function openRotation(t: ExecutionContext, count: number) {
  const sites = await startSites(t)
  const platforms = await openPlatforms(t, sites)
  const entryId = await connectTracker(await customer(platforms.older), sites)
  const tokens = await multiply(platforms.older, entryId, count)
  const { database, k1, k2 } = platforms
  const rotation = (tell: TellProgress = () => undefined) =>
    createVaultRotation({ database, clock: systemClock, keys: keysIn(`${k2},${k1}`), tell })
  const write = (id: string, token: string, db: Pick<Database, 'raw'> = database) =>
    db.raw('update vault_entries set credential = ? where id = ?', [
      platforms.older.services.sealing.seal(token, { id, column: 'vault_entries.credential' }),
      id,
    ])
  return { ...platforms, entryId, tokens, rotation, write }
}

test('what is written under the old key behind the back of a rotation is found before it ends', async (t) => {
  const { database, k2, tokens, rotation, write } = await openRotation(t, 500)
  const [first = ''] = tokens.keys()
  const writes: Promise<unknown>[] = []
  const report = await rotation((column, done) => {
    if (column === 'vault_entries.credential' && done === 400)
      writes.push(Promise.resolve(write(first, 'written late')))
  }).rotate()
  await Promise.all(writes)
  t.is(writes.length, 1)
  t.deepEqual(report.removable, ['k1'])
  t.is(await countUnder(database, 'k1'), 0)
  t.is((await openAll(database, k2)).get(first), 'written late')
})

test('a value that changes between the look and the update of a rotation is not overwritten', async (t) => {
  const { database, k2, entryId, rotation, write } = await openRotation(t, 10)
  const changing = await database.transaction()
  await write(entryId, 'written meanwhile', changing)
  const rotating = rotation().rotate()
  await eventually(10, 'the rotation waits for the row', async () => {
    const { rows } = await database.raw<{ rows: unknown[] }>(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0 || undefined
  })
  await changing.commit()
  t.deepEqual((await rotating).unreadable, [])
  t.is((await openAll(database, k2)).get(entryId), 'written meanwhile')
})

test('several rotations at once do each value once between them', async (t) => {
  const { database, k2, k1, tokens, DATABASE_URL } = await openRotation(t, 1000)
  const before = await countUnder(database, 'k1')
  const all = await Promise.all([1, 2, 3].map(() => startRotation(t, DATABASE_URL, k2, k1).ended))
  t.deepEqual(
    all.map(({ code }) => code),
    [0, 0, 0],
    all.map(({ said }) => said).join('\n'),
  )
  const sealed = all.map(({ said }) => Number(/^Sealed ([\d,]+)/m.exec(said)?.[1]?.replace(',', '') ?? 0))
  t.is(
    sealed.reduce((sum, count) => sum + count),
    before,
  )
  const plain = await openAll(database, k2)
  for (const [id, token] of tokens) t.is(plain.get(id), token)
})

test('a value that no key opens is named without its content, the others are rotated, and its key stays in use', async (t) => {
  const { database, k1, k2, tokens, DATABASE_URL } = await openRotation(t, 300)
  const [damaged = '', foreign = ''] = tokens.keys()
  await database.raw(`update vault_entries set credential = 'k1.ZGFtYWdlZA' where id = ?`, [damaged])
  await database.raw(`update vault_entries set credential = 'lost.Zm9yZWlnbg' where id = ?`, [foreign])
  const { code, said } = await startRotation(t, DATABASE_URL, k2, k1).ended
  t.is(code, 1)
  t.regex(said, new RegExp(`^vault_entries ${damaged}: sealed under the key "k1"`, 'm'))
  t.regex(said, new RegExp(`^vault_entries ${foreign}: sealed under the key "lost"`, 'm'))
  t.notRegex(said, /ZGFtYWdlZA|Zm9yZWlnbg|may be taken out/)
  t.is(await countUnder(database, 'k1'), 1)
  t.is(await countUnder(database, 'lost'), 1)
})

test('a rotation refuses keys that are not those of the database, and a new key that no process has yet', async (t) => {
  const { database, k1, k2, DATABASE_URL } = await openRotation(t, 1)
  const before = await countUnder(database, 'k1')
  const wrong = await startRotation(t, DATABASE_URL, key('k2'), k1).ended
  t.is(wrong.code, 1)
  t.regex(wrong.said, /The key "k2" in VAULT_KEYS is not the key "k2"/)
  const early = await startRotation(t, DATABASE_URL, key('k3'), k2, k1).ended
  t.is(early.code, 1)
  t.regex(early.said, /No process has been started with the key "k3" yet/)
  t.is(await countUnder(database, 'k1'), before)
})

test('a rotation that has nothing to do says so, and one without settings names them', async (t) => {
  const { k1, k2, DATABASE_URL } = await openPlatforms(t)
  const { code, said } = await startRotation(t, DATABASE_URL, k2, k1).ended
  t.is(code, 0)
  t.regex(said, /^Nothing to do\.\n.*may be taken out of VAULT_KEYS: k1$/)
  const unset = await startRotation(t, '').ended
  t.is(unset.code, 1)
  t.regex(unset.said, /- DATABASE_URL [\s\S]*- VAULT_KEYS /)
})
