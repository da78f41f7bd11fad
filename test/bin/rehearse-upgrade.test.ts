// @promise migrations
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { rehearse } from '../../bin/admin/rehearsal/rehearse.ts'
import { execa } from '../../bin/execa.ts'
import { migrations } from '../../migrations/index.ts'
import { writeBackup } from '../../src/backups/backup-file.ts'
import { createDatabase } from '../../src/database/database.ts'
import type { Migration } from '../../src/database/migrate.ts'
import { createLogger } from '../../src/logger.ts'
import { onServer } from '../helpers/database.ts'
import { everythingIn } from '../helpers/other-database.ts'
import { agentOf, customer, ended } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const planted = (what: string, sql: string): Migration => ({
  name: `29990101000${what.length}00-${what}`,
  up: (knex) => knex.raw(sql),
  down: () => Promise.resolve(),
})

const fast = planted('mood', 'alter table agents add column mood text; create table moods (id uuid)')
const slow = planted('slow-lock', 'lock table moods; lock table agents in share mode; select pg_sleep(2.3)')
const breaking = planted('rename', 'alter table agent_queues rename to queues')
const failing = planted('unique', 'create unique index on runs (status, (1 / 0))')

/** An installation whose agent has run. Nothing writes to its database now. */
async function stillInstallation(t: ExecutionContext): Promise<Platform & { databaseUrl: string; runId: string }> {
  const platform = await startPlatform(t, { worker: true })
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  const { id: runId } = (await start(someone, agent)).body
  t.is((await ended(someone, runId)).status, 'completed')
  await platform.stopWorker()
  return { ...platform, databaseUrl: platform.config.database.url, runId }
}

const databasesLike = (url: string): Promise<string[]> =>
  onServer(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like current_database() || '%' order by 1`,
    )
    return rows.map(({ name }) => name)
  })

/** What the rehearsal said, and what speaks against the upgrade. */
async function rehearsed(url: string, more: Migration[], file?: string) {
  const said: string[] = []
  const live = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'), { deadlines: false })
  const given = { live, url, file, billing: 'sandbox', migrations: [...migrations, ...more] }
  try {
    const problems = await rehearse({ ...given, say: (text) => said.push(text) })
    return { said: said.join('\n'), problems }
  } finally {
    await live.destroy()
  }
}

test('a rehearsal times each migration, reads the copy, drops it, and leaves the live database as it is', async (t) => {
  const { databaseUrl } = await stillInstallation(t)
  const look = () => onServer(databaseUrl, everythingIn)
  const before = await look()
  const { said, problems } = await rehearsed(databaseUrl, [fast])
  t.deepEqual(problems, [])
  t.regex(said, /Copied [\d,]+ rows as of /)
  t.regex(said, /-mood: [\d.]+ s, .* MB more space\./)
  t.regex(said, /Added up the ledgers of all 2 accounts/)
  t.regex(said, /of all 3 accounts and workspaces: 1 agents, 1 runs, 1 timelines, 2 explanations/)
  t.is((await databasesLike(databaseUrl)).length, 1)
  t.deepEqual(await look(), before)
})

test('a migration that keeps writers waiting for more than two seconds is refused by name', async (t) => {
  const { databaseUrl } = await stillInstallation(t)
  const { problems } = await rehearsed(databaseUrl, [fast, slow])
  t.is(problems.length, 2)
  t.regex(problems.join('\n'), /-slow-lock keeps writers of agents waiting for [\d.]+ s, more than 2 s/)
  t.regex(problems.join('\n'), /-slow-lock keeps readers and writers of moods waiting/)
})

test('a rehearsal can start from a backup, and refuses a file that is none', async (t) => {
  const { databaseUrl, services } = await stillInstallation(t)
  const file = join(await temporaryFolder(t), 'backup')
  await writeBackup({ database: services.database }, file)
  await onServer(databaseUrl, (client) => client.query('update accounts set balance = balance + 7'))
  const { said, problems } = await rehearsed(databaseUrl, [fast], file)
  t.deepEqual(problems, [])
  t.notRegex(said, /the live database/)
  await t.throwsAsync(rehearsed(databaseUrl, [], join(import.meta.dirname, 'none')), { code: 'ENOENT' })
  await t.throwsAsync(rehearsed(databaseUrl, [], import.meta.filename), { message: /backup/ })
  t.is((await databasesLike(databaseUrl)).length, 1)
})

test('a migration that fails on the copy is named, and the copy is dropped', async (t) => {
  const { databaseUrl } = await stillInstallation(t)
  await t.throwsAsync(rehearsed(databaseUrl, [fast, failing]), {
    message: /^The migration \S+-unique fails: .*division by zero/s,
  })
  t.is((await databasesLike(databaseUrl)).length, 1)
})

test('a copy that this code cannot read and a balance that the ledger does not explain are named', async (t) => {
  const { databaseUrl, runId } = await stillInstallation(t)
  await onServer(databaseUrl, (client) => client.query('update accounts set balance = balance + 7'))
  const { problems } = await rehearsed(databaseUrl, [breaking])
  t.regex(problems.join('\n'), /The account \S+ has a balance of \d+ credits, but its ledger adds up to/)
  t.regex(problems.join('\n'), new RegExp(`Reading why run ${runId} of \\S+ failed: .*agent_queues`, 's'))
})

test('a database that is not a copy is never dropped, and what a killed rehearsal left is', async (t) => {
  const { databaseUrl } = await stillInstallation(t)
  const name = `${new URL(databaseUrl).pathname.slice(1)}_rehearsal`
  t.teardown(() => onServer(databaseUrl, (client) => client.query(`drop database if exists ${name}`)))
  await onServer(databaseUrl, (client) => client.query(`create database ${name}`))
  await t.throwsAsync(rehearsed(databaseUrl, []), { message: /exists and is not a rehearsal's/ })
  t.true((await databasesLike(databaseUrl)).includes(name))
  const mark = 'A copy that npm run admin -- rehearse-upgrade made'
  await onServer(databaseUrl, (client) => client.query(`comment on database ${name} is '${mark}'`))
  t.deepEqual((await rehearsed(databaseUrl, [])).problems, [])
  t.false((await databasesLike(databaseUrl)).includes(name))
})

test('the command opens no connection but those to Postgres, and says that the upgrade can be made', async (t) => {
  const { databaseUrl } = await stillInstallation(t)
  const record = join(await temporaryFolder(t), 'connections')
  writeFileSync(record, '')
  const recorder = new URL('../helpers/record-connections.ts', import.meta.url)
  recorder.searchParams.set('file', record)
  const env = { DATABASE_URL: databaseUrl, NODE_OPTIONS: `--import=${recorder.href}` }
  const command = [join(import.meta.dirname, '../../bin/admin.ts'), 'rehearse-upgrade']
  const { exitCode, stdout, stderr } = await execa(process.execPath, command, { env, reject: false })
  t.is(stderr, '')
  t.is(exitCode, 0)
  t.regex(stdout, /The upgrade can be made/)
  const ports = readFileSync(record, 'utf8').trimEnd().split('\n')
  t.true(ports.length > 4)
  const { port } = new URL(databaseUrl)
  t.deepEqual(
    ports.filter((to) => to !== port && !to.endsWith(`.s.PGSQL.${port}`)),
    [],
  )
})
