// @promise backups
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import type { Client } from 'pg'
import { execa } from '../../bin/execa.ts'
import { endRecorded } from '../../bin/local/process-record.ts'
import { createEmptyDatabase, onServer } from '../helpers/database.ts'
import { installation, placeholder } from '../helpers/installation.ts'
import { deliver, customer, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { ownEnvironment, sharedServers } from '../helpers/servers.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const program = join(import.meta.dirname, '../../bin/admin.ts')

const admin = (env: Record<string, string>, ...words: string[]) =>
  execa(process.execPath, [program, ...words], {
    env: { ...ownEnvironment(), ...env },
    extendEnv: false,
    reject: false,
  })

test('an operator backs up and restores an outer Postgres, or announces what another program restored', async (t) => {
  const platform = await startPlatform(t)
  const someone = await customer(platform)
  await deliver(someone, await webhookAgent(someone), {})
  const { url: DATABASE_URL } = platform.config.database
  // Nothing of the other tests' Temporal is touched.
  const env = { DATABASE_URL, TEMPORAL_ADDRESS: '127.0.0.1:1' }
  const file = join(await temporaryFolder(t), 'backup')
  const made = await admin(env, 'backup', file)
  t.deepEqual([made.exitCode, made.stderr], [0, ''])
  t.regex(made.stdout, /The vault keys are not in it/)
  t.is(statSync(file).mode & 0o777, 0o600)
  t.regex((await admin(env, 'backup', file)).stderr, /exists/)
  t.is((await admin(env, 'backup', '--made-elsewhere')).exitCode, 0)
  const rows: unknown[] = await platform.services.database('backups').orderBy('id').select('bytes', 'error')
  t.like(rows, { 0: { bytes: statSync(file).size, error: null }, 2: { bytes: null, error: null }, length: 3 })
  t.truthy((rows[1] as { error: string | null }).error)

  t.regex((await admin(env, 'restore', file)).stderr, /not empty/)
  const { url } = await createEmptyDatabase(t)
  const target = { ...env, DATABASE_URL: url }
  const restored = await admin(target, 'restore', file)
  t.deepEqual([restored.exitCode, restored.stderr], [0, ''])
  t.regex(restored.stdout, /1 agent with 1 unfinished run is paused/)
  t.regex(restored.stdout, /Temporal cannot be reached/)
  t.regex((await admin(target, 'resume-restored')).stdout, /^Resumed 1 agent\.$/m)

  // Temporal's storage may be lost with the database.
  const { url: other } = await createEmptyDatabase(t)
  const lost = { DATABASE_URL: other, TEMPORAL_ADDRESS: sharedServers().temporal, TEMPORAL_NAMESPACE: 'lost' }
  const alone = await admin(lost, 'restore', file)
  t.deepEqual([alone.exitCode, alone.stderr], [0, ''])
  t.regex(alone.stdout, /1 agent with 1 unfinished run is paused/)
  t.regex(alone.stdout, /workflows of the lost time were not terminated/)

  // Announced although it is the database that the platform works with.
  const announced = (of: Record<string, string>, asOf: string) => admin(of, 'announce-restore', '--as-of', asOf)
  t.regex((await announced(env, '2026-11-29T03:00:00Z')).stderr, /Processes of the platform are connected/)
  t.regex((await announced(target, 'yesterday')).stderr, /Give a time such as/)
  t.regex((await announced(target, '2126-11-29T03:00:00Z')).stderr, /in the future/)
  t.regex((await announced(target, '2026-11-29T03:00:00Z')).stdout, /1 agent with 1 unfinished run is paused/)
})

test('the Postgres of npm start is backed up beside it or while it is stopped, and a restore keeps the former database', async (t) => {
  const { start, data, records, postgres, secrets, apiStatus } = await installation()
  t.teardown(() => endRecorded(records))
  const folder = await temporaryFolder(t)
  const env = { DATA_DIR: data }
  const first = start({ sites: placeholder('sites') })
  await first.ready
  const beside = await admin(env, 'backup', join(folder, 'beside'))
  t.deepEqual([beside.exitCode, beside.stderr], [0, ''])
  t.regex((await admin(env, 'restore', join(folder, 'beside'))).stderr, /not empty/)
  first.kill('SIGTERM')
  t.is(await first.ended, 0)

  const stopped = await admin(env, 'backup', join(folder, 'stopped'))
  t.deepEqual([stopped.exitCode, stopped.stderr], [0, ''])
  const whole = readFileSync(join(folder, 'stopped'))
  writeFileSync(join(folder, 'cut'), whole.subarray(0, whole.length / 2))
  const cut = await admin(env, 'restore', join(folder, 'cut'))
  t.is(cut.exitCode, 1)
  t.regex(cut.stderr, /ends too early|damaged/)
  const restored = await admin(env, 'restore', join(folder, 'stopped'))
  t.deepEqual([restored.exitCode, restored.stderr], [0, ''])

  const second = start({ sites: placeholder('sites') })
  await second.ready
  t.is(await apiStatus(), 200)
  const names = await onServer(serverOf(postgres, secrets()), databasesOf)
  t.is(names.filter((name) => /^switchyard_until_\d{14}$/.test(name)).length, 1, names.join(' '))
  t.true(names.includes('switchyard'))
  second.kill('SIGTERM')
  await second.ended
})

const serverOf = (port: number, secrets: string) =>
  `postgres://switchyard:${(JSON.parse(secrets) as { postgresPassword: string }).postgresPassword}@127.0.0.1:${port}/postgres`

async function databasesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
  return rows.map(({ datname }) => datname)
}
