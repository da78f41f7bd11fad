// @promise migrations
import test, { type ExecutionContext } from 'ava'
import { migrations } from '../../migrations/index.ts'
import { createDatabase, type Database } from '../../src/database/database.ts'
import type { Migration } from '../../src/database/migrate.ts'
import { createLogger } from '../../src/logger.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { problemsOf } from './lint.ts'

/** Each test has its own: statements are recorded per database. */
async function connect(t: ExecutionContext): Promise<Database> {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
}

const sample = (statements: string[], transaction: boolean): Migration => ({
  name: 'sample',
  config: { transaction },
  up: async (knex) => {
    for (const statement of statements) await knex.raw(statement)
  },
  down: () => Promise.resolve(),
})

/** A sample in a transaction leaves nothing behind. */
async function problemsIn(database: Database, statements: string[]): Promise<string> {
  const outer = await database.transaction()
  try {
    return (await problemsOf(outer, sample(statements, true))).join('\n')
  } finally {
    await outer.rollback()
  }
}

const refused: [statement: string, says: RegExp][] = [
  ['create index moods on leases (holder)', /Use `concurrently` to avoid blocking writes/],
  ['drop index runs_list', /`CONCURRENTLY`/],
  ['alter table leases alter column name type varchar(99)', /Add a new column, write both, and drop the old/],
  ['alter table runs alter column reason set not null', /Add a constraint with not null … not valid/],
  ['alter table leases add constraint moods check (name is not null)', /NOT VALID/i],
  ['alter table runs add constraint moods_reason not null reason', /NOT VALID/i],
  ['alter table leases add constraint moods foreign key (holder) references users (id)', /NOT VALID/i],
  ['alter table leases add constraint moods unique (holder)', /index `CONCURRENTLY`/],
  ['alter table leases add column mood text not null', /give it a default/],
  ['alter table leases add column mood timestamptz default clock_timestamp()', /whole table leases anew/],
  ['alter table leases add column mood bigint generated always as identity', /whole table leases anew/],
  ['alter table leases add column mood bigserial', /whole table leases anew/],
  ['truncate workers', /whole table workers anew/],
  ['alter table leases drop column holder', /drop it a release later, under the comment/],
  ['alter table leases rename column holder to mood', /add a new one, write both/],
  ['alter table leases rename to moods', /add a new one, write both/],
  ['drop table leases', /drop it a release later, under the comment/],
  ['update leases set expires_at = now()', /in batches/],
  ['delete from leases', /in batches/],
  ['with gone as (delete from leases returning name) select count(*) from gone', /in batches/],
  ['do $$ begin update leases set expires_at = now(); end $$', /Write its statements one by one/],
  ['lock table leases', /Leave it out/],
  [`alter table runs add column mood text check (mood <> '')`, /reads the whole table runs.* as not valid/],
  ['alter table leases alter column name drop default', /relies on it.* a release later/],
  ['alter table users drop constraint users_pkey cascade', /Drop that first/],
  ['drop type run_trigger cascade', /Drop that first/],
  ['drop function ensure_run_partitions', /uses it.* a release later/],
  ['alter function least_run_id(timestamp) rename to least_id', /knows the old name/],
  [`alter type run_status rename value 'queued' to 'waits'`, /knows the old name/],
  ['alter table runs rename constraint runs_sequence to runs_order', /knows the old name/],
  ['alter index runs_list rename to runs_newest', /knows the old name/],
  [
    `create table odd partition of run_events for values from (minvalue) to ('01000000-0000-7000-8000-000000000000')`,
    /attach that/,
  ],
]

test('a migration is refused that blocks writers or the release before, and told what to do', async (t) => {
  const database = await connect(t)
  for (const [statement, says] of refused) t.regex(await problemsIn(database, [statement]), says, statement)
})

test('a constraint is not validated under the locks of its transaction', async (t) => {
  const database = await connect(t)
  const adding = 'alter table leases add constraint moods check (name is not null) not valid'
  t.regex(
    await problemsIn(database, [adding, 'alter table leases validate constraint moods']),
    /migration without a transaction/,
  )
})

const fine: Record<string, string[]> = {
  'adds a column': ['alter table leases add column mood text'],
  'adds a column with a constant default': [`alter table leases add column mood text not null default 'calm'`],
  'adds constraints that are validated later': [
    'alter table leases add constraint moods check (name is not null) not valid',
    'alter table runs add constraint runs_reason not null reason not valid',
    'alter table leases add constraint moods_fk foreign key (holder) references users (id) not valid',
  ],
  'makes a table with its indexes': [
    'create table moods (id uuid not null, mood text not null, constraint moods_pkey primary key (id))',
    'create index moods_mood on moods (mood)',
  ],
  'drops a column that no release uses': ['-- squawk-ignore ban-drop-column\nalter table leases drop column holder'],
  'drops what no release uses': ['-- unused: since 0.2\ndrop function ensure_run_partitions'],
  'makes a table whose rows go with others': [
    'create table moods (id uuid primary key constraint moods_user_fk references users (id) on delete cascade)',
  ],
  'adds a value to an enumeration': [`alter type run_trigger add value 'mood'`],
}

test('a migration is fine that blocks nobody', async (t) => {
  const database = await connect(t)
  for (const [what, statements] of Object.entries(fine)) t.is(await problemsIn(database, statements), '', what)
})

test('a migration without a transaction does what lets others write and can be repeated, and nothing else', async (t) => {
  const database = await connect(t)
  const problems = async (...statements: string[]) => (await problemsOf(database, sample(statements, false))).join('\n')
  const index = (name: string) => `create index concurrently ${name} on vault_canaries (retired_at)`
  const some = 'select key_name from vault_canaries limit 1000'
  t.is(await problems('drop index concurrently if exists canaries_retired', index('canaries_retired')), '')
  t.is(await problems(`update vault_canaries set retired_at = null where key_name in (${some})`), '')
  t.regex(await problems(index('others')), /Begin with drop index concurrently if exists others/)
  for (const statement of [
    'create index concurrently if not exists others on vault_canaries (retired_at)',
    'alter table vault_canaries add column mood text',
    'update vault_canaries set retired_at = null',
    'update vault_canaries set retired_at = (select now() limit 1)',
    `delete from vault_canaries where key_name not in (${some})`,
  ]) {
    t.regex(await problems(statement), /needs a transaction/, statement)
  }
})

test('no migration after the baseline blocks writers or the release before', async (t) => {
  const database = await connect(t)
  await database.raw('drop schema public cascade; create schema public')
  // The baseline makes everything where there is nothing; its conversion is done while no process runs.
  const [baseline, ...later] = migrations
  await baseline?.up(database)
  const problems: string[] = []
  for (const migration of later) problems.push(...(await problemsOf(database, migration)))
  t.deepEqual(problems, [])
})
