import test from 'ava'
import { checkAdditiveMigrations } from './additive-migrations.ts'
import { readSource } from './source.ts'

function problemsOf(sql: string): string[] {
  const code = `
export const name = '209901010000-rename'
export const up = (knex) => knex.raw(\`${sql}\`)
export const down = (knex) => knex.raw('drop table marks; alter table runs drop column mark')
`
  return checkAdditiveMigrations([readSource('migrations/209901010000-rename.ts', code)]).map(({ problem }) => problem)
}

const refused = [
  'drop table marks',
  'alter table runs drop column reason',
  'alter table runs drop if exists reason',
  'alter table runs rename to jobs',
  'alter table runs rename column reason to cause',
  'alter type run_status rename value $$queued$$ to $$waiting$$',
  'alter table runs alter column steps type bigint',
  'alter table runs alter steps set data type bigint',
  'alter table runs alter column reason set not null',
  'alter table runs add column mark text not null',
  'alter table runs add mark int, add other text not null, add last int',
  'alter table runs add column mark uuid default gen_random_uuid()',
  'alter table runs add column agent uuid references agents (id)',
  'alter table runs add constraint runs_mark check (mark > 0)',
  'alter table runs add constraint runs_agent foreign key (agent_id) references agents (id)',
  'alter table runs add constraint runs_mark unique (mark)',
  'alter table runs add constraint a check (b > 0) not valid; alter table runs validate constraint a',
  'create index runs_mark on runs (mark)',
  'create unique index runs_mark on only runs (mark)',
  'drop index runs_list',
  'update runs set mark = 1',
  'delete from runs where mark = 1',
  'truncate runs',
  'lock table runs',
  'create trigger marks before insert on runs for each row execute function mark()',
  'alter table runs alter column steps drop default',
  'alter table runs disable trigger all',
  'alter table runs add exclude using gist (id with =)',
  'alter table "runs" drop column "reason"',
  'with old as (select 1) update runs set mark = 1',
  "-- the agent's runs; all of them\ndrop\n  table marks",
  '-- not additive:\ndrop table marks',
  '-- not additive: nobody used it\ndrop table marks; drop table runs',
]

for (const sql of refused) {
  test(`a migration may not say: ${sql}`, (t) => {
    t.is(problemsOf(sql).length, 1, problemsOf(sql).join('\n'))
  })
}

const allowed = [
  `create table marks (id uuid not null, runs text check (runs <> 'drop table runs; x'), primary key (id));
   -- of the agent's own; drop table marks;
   create index marks_id on marks (id); alter table marks alter column id set not null; update marks set id = null`,
  `alter table runs add column mark text, add column other text not null default 'rename', add at timestamptz default now()`,
  `alter table runs drop constraint runs_waiting_cause, add constraint runs_waiting_cause check (a in ('b')) not valid`,
  'alter table runs validate constraint runs_waiting_cause',
  'alter table runs add constraint runs_mark check (mark is not null) not valid',
  'alter table runs alter column steps set default 1',
  'create index concurrently runs_mark on runs (mark); drop index concurrently runs_list',
  'alter table runs add constraint runs_mark unique using index runs_mark',
  'create or replace function one() returns int language sql as $$ delete from runs; drop table runs $$',
  'delete from runs where id in (select id from runs limit 100)',
  '-- not additive: no release has used this table since 0.3\ndrop table marks',
]

for (const sql of allowed) {
  test(`a migration may say: ${sql.slice(0, 80)}`, (t) => {
    t.deepEqual(problemsOf(sql), [])
  })
}

const file = (code: string) => checkAdditiveMigrations([readSource('migrations/209901010000-made-up.ts', code)]).length

test('statements are found in constants, also below the way back, and in any quotes', (t) => {
  const up = 'export const up = (knex) => knex.raw(sql)\n'
  t.is(
    file(
      `${up}export async function down(knex) {\n  await knex.raw('drop table marks')\n}\n\nconst sql = \`drop table runs\`\n`,
    ),
    1,
  )
  t.is(file(`export const up = (knex) => knex.raw("update runs set reason = 'x'")\n`), 1)
})

test('a migration of the query builder, of joined texts or of other files cannot be judged', (t) => {
  t.is(file("export const up = (knex) => knex('runs').update({ a: 1 })\n"), 1)
  t.is(file("export const up = (knex) => knex.raw('alter table runs ' + 'drop column reason')\n") > 0, true)
  t.is(file("import { change } from './change.ts'\nexport const up = (knex) => change(knex)\n"), 1)
})

test('a migration that builds its schema without SQL cannot be judged', (t) => {
  const code = 'export const up = (knex) => knex.schema.alterTable("runs", (table) => table.dropColumn("reason"))'
  t.is(checkAdditiveMigrations([readSource('migrations/209901010000-made-up.ts', code)]).length, 1)
})
