import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { v4, v7 } from 'uuid'
import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { createLogger } from '../../src/logger.ts'
import { migrate, rollback } from '../../src/database/migrate.ts'
import { AgentPrompt } from '../../src/runs/agent-prompt.ts'
import { listPartitions } from '../../src/runs/retention/partitions.ts'
import { RunStep } from '../../src/runs/run-step.ts'
import { ToolCall } from '../../src/tools/tool-call.ts'
import { onServer } from '../helpers/database.ts'
import { expectedOf, without } from './before-baseline/expected.ts'
import { createOldDatabase, readSnapshot, readTables, sorted } from './before-baseline/old-database.ts'

/** What a conversion applies: the baseline, and all that came after it. */
const all = migrations.map(({ name }) => name)
const silent = () => undefined

function connect(t: ExecutionContext, url: string) {
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'), { deadlines: false })
  t.teardown(() => database.destroy())
  return database
}

/** A database of the release before, and what it holds. */
async function open(t: ExecutionContext) {
  const { url } = await createOldDatabase(t, await readSnapshot())
  const database = connect(t, url)
  const names = async () => {
    const { rows } = await database.raw<{ rows: { name: string }[] }>('select name from migrations order by id')
    return rows.map(({ name }) => name)
  }
  return { url, database, names, before: await readTables(url) }
}

/** Adds so many events to a run that their table is copied in several batches. */
const addManyEvents = (url: string) =>
  onServer(url, (client) =>
    client.query(`
      insert into run_events (run_id, number, kind, at, data)
      select (select min(run_id) from run_events), number, 'step.started', now(),
             json_build_object('text', repeat('x', 400))
        from generate_series(1000, 80000) number`),
  )

/** Makes an ended run with a timeline one that arrived so many days ago; returns its new id. */
async function makeOld(url: string, days: number): Promise<string> {
  const old = v7({ msecs: Date.now() - days * 86_400_000 })
  await onServer(url, async (client) => {
    await client.query('set session_replication_role = replica')
    const { rows } = await client.query<{ id: string }>(
      `select id from runs where status = 'completed' and id in (select run_id from tool_calls) limit 1`,
    )
    const ids = [rows[0]?.id, old]
    await client.query('update runs set id = $2 where id = $1', ids)
    for (const table of ['run_steps', 'tool_calls', 'run_events', 'callbacks', 'schedule_fires']) {
      await client.query(`update ${table} set run_id = $2 where run_id = $1`, ids)
    }
  })
  return old
}

/** Kills every process that is connected to the database. */
const endConnections = (url: string) =>
  onServer(url, (client) =>
    client.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`),
  )

test('a converted database has every row of the release before, with the same values', async (t) => {
  const { url, database, names, before } = await open(t)
  for (const [table, rows] of Object.entries(before)) t.true(rows.length > 0, `${table} has no rows to convert`)
  t.deepEqual(await migrate(database, migrations, silent), all)
  t.deepEqual(await names(), all)
  const { due_agents: due = [], ...others } = await readTables(url)
  // These get new numbers.
  const after = { ...others, due_agents: sorted(due.map((row) => without(row, 'id'))) }
  t.deepEqual(after, expectedOf(before))
})

test('timelines of old runs are in the partitions of their weeks, and the ledger stays append-only', async (t) => {
  const { url, database } = await open(t)
  const old = await makeOld(url, 60)
  await migrate(database, migrations, silent)
  for (const table of ['run_inputs', 'run_steps', 'run_tool_calls', 'run_events']) {
    t.is((await database(`${table}_default`)).length, 0, table)
    if (table !== 'run_inputs') t.true((await database(table).where({ runId: old })).length > 0, table)
  }
  await t.throwsAsync(database('ledger_entries').delete(), { message: /the ledger is append-only/ })
  const { rows } = await database.raw<{ rows: unknown[] }>(`select from pg_namespace where nspname = 'before_baseline'`)
  t.is(rows.length, 0)
})

test('texts that Postgres refuses, and instructions with such texts, are converted like others', async (t) => {
  const { url, database } = await open(t)
  const odd = 'a\0b \ud800 "quoted" \\u0000 \\ \u0001'
  const text = JSON.stringify({ text: odd })
  const schema = [{ name: 'mood', type: 'string', required: true }]
  await onServer(url, async (client) => {
    await client.query('update run_steps set answer = $1', [text])
    await client.query('update tool_calls set arguments = $1, result = $1', [text])
    const prompt = JSON.stringify({ systemPrompt: odd, schema, override: 'used' })
    await client.query('update runs set prompt = $1 where prompt is not null', [prompt])
  })
  await migrate(database, migrations, silent)
  const [steps, calls] = [await RunStep.query(database), await ToolCall.query(database)]
  const read = [...steps.map(({ answer }) => answer), ...calls.flatMap((call) => [call.arguments, call.result])]
  t.deepEqual([...new Set(read)], [odd])
  const prompts = await AgentPrompt.query(database)
  t.true(prompts.length > 0)
  for (const prompt of prompts)
    t.like(prompt, { systemPrompt: '', allowActionOverride: true, webhookSchema: schema as never })
})

test('a row that cannot be converted is named by its table, and nothing is changed', async (t) => {
  const { url, database, names } = await open(t)
  const applied = await names()
  await onServer(url, (client) =>
    client.query(`set session_replication_role = replica; update api_keys set id = 'odd-' || id`),
  )
  const before = await readTables(url)
  await t.throwsAsync(migrate(database, migrations, silent), {
    message:
      /^The rows of api_keys cannot be converted, so nothing was changed: invalid input syntax for type uuid: "odd-/,
  })
  await t.throwsAsync(rollback(database, migrations, silent), {
    message: 'The database is older than 20261122000300-baseline, so there is nothing to roll back to. Migrate first.',
  })
  t.deepEqual(await names(), applied)
  t.deepEqual(await readTables(url), before)
})

test('runs whose ids carry no time, or a wrong one, are converted, and make no partitions of their own', async (t) => {
  const { url, database } = await open(t)
  const [ancient, future] = [await makeOld(url, 20_000), v7({ msecs: Date.now() + 3e11 })]
  const odd = await onServer(url, async (client) => {
    await client.query('set session_replication_role = replica')
    const { rows } = await client.query<{ id: string }>(
      `update runs set id = case id when (select min(id) from runs where status = 'queued') then $1 else $2 end
        where id in (select min(id) from runs where status = 'queued' union select max(id) from runs where status = 'queued')
       returning id`,
      [v4(), future],
    )
    return rows.map(({ id }) => id)
  })
  await migrate(database, migrations, silent)
  t.true((await listPartitions(database)).length <= 4 * 4)
  for (const id of [ancient, ...odd]) t.is((await database('runs').where({ id })).length, 1)
  t.true((await database('run_events').where({ runId: ancient })).length > 0)
})

test('an empty database of the release before is converted like any other', async (t) => {
  const { url } = await createOldDatabase(t, { ...(await readSnapshot()), tables: {} })
  const database = connect(t, url)
  t.deepEqual(await migrate(database, migrations, silent), all)
  t.deepEqual(await migrate(database, migrations, silent), [])
})

test('of several processes that convert a database at once one does it, and the others have nothing to do', async (t) => {
  const { url, names } = await open(t)
  const said: string[] = []
  const done = await Promise.all([1, 2, 3].map(() => migrate(connect(t, url), migrations, (text) => said.push(text))))
  t.deepEqual(done.flat(), all)
  t.is(said.filter((text) => text.startsWith('Another process')).length, 2)
  t.deepEqual(await names(), all)
})

test('a database that lacks the last migration before is refused with the way to get there, and nothing is changed', async (t) => {
  const { url, database, names, before } = await open(t)
  await database('migrations').where({ name: '20261122000200-attempts' }).delete()
  const applied = await names()
  await t.throwsAsync(migrate(database, migrations, silent), {
    message: /^The database is too old: it lacks 20261122000200-attempts\. .*run `node bin\/migrate\.ts` there/,
  })
  t.deepEqual(await names(), applied)
  t.deepEqual(await readTables(url), before)
})

test('a database with a migration that nobody knows is refused, and nothing is changed', async (t) => {
  const { url, database, before } = await open(t)
  await database('migrations').insert({ name: '29990101000000-own', batch: 2, migration_time: new Date() })
  await t.throwsAsync(migrate(database, migrations, silent), { message: /29990101000000-own/ })
  t.deepEqual(await readTables(url), before)
})

test('a conversion that is killed has changed nothing, and a second one says how far it is, and converts', async (t) => {
  const { url, names } = await open(t)
  await addManyEvents(url)
  const [applied, before] = [await names(), await readTables(url)]
  let ended: Promise<unknown> | undefined
  const killed = migrate(connect(t, url), migrations, (text) => {
    if (/^Converting run_events: \d+ %$/.test(text)) ended ??= endConnections(url)
  })
  await t.throwsAsync(killed)
  await ended
  t.truthy(ended)
  t.deepEqual(await names(), applied)
  t.deepEqual(await readTables(url), before)

  const said: string[] = []
  t.deepEqual(await migrate(connect(t, url), migrations, (text) => said.push(text)), all)
  const percents = said.flatMap((text) => /^Converting run_events: (\d+) %$/.exec(text)?.slice(1).map(Number) ?? [])
  t.true(percents.length > 2, said.join('\n'))
  t.deepEqual(
    percents,
    [...new Set(percents)].toSorted((one, other) => one - other),
  )
  t.is(percents.at(-1), 100)
  t.deepEqual((await readTables(url))['run_events'], expectedOf(before)['run_events'])
})

test('a conversion waits for a process that is still at work, and does not keep it from its work', async (t) => {
  const { url, database } = await open(t)
  await onServer(url, async (client) => {
    await client.query('begin; update runs set epoch = epoch')
    const converted = migrate(database, migrations, silent)
    await delay(500)
    // The conversion has locked this table, and waits for the other one.
    await client.query('update users set created_at = created_at')
    t.true(((await client.query('select from runs')).rowCount ?? 0) > 0)
    await client.query('commit')
    t.deepEqual(await converted, all)
  })
})
