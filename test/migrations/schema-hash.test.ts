import test from 'ava'
import { schemaHash } from '../../migrations/schema-hash.ts'

const sql = `
  -- The runs of agents; one's own 'last' is the one with the highest number.
  create table runs (
    id uuid not null, -- made here
    state text not null default 'not  started'
  );`

test('a schema keeps its hash when only comments and white space change', (t) => {
  const same = [
    sql.replace('made here', "made by the agent's process"),
    sql.replace(/ *--.*\n/, ''),
    sql.replaceAll('\n    ', '\n\t'),
    `\n${sql}\n\n-- the end\n`,
    `create table runs ( id uuid not null, state text not null default 'not  started' );`,
  ]
  for (const other of same) t.is(schemaHash(other), schemaHash(sql), other)
})

test('a schema gets another hash with every other change, also in a text', (t) => {
  const others = [
    sql.replace('uuid', 'text'),
    sql.replace('not  started', 'not started'),
    sql.replace('not  started', 'not  -- started'),
    sql.replace('not  started', 'not  -- begun'),
    sql.replace('id uuid not null, --', '-- id uuid not null,'),
  ]
  t.is(new Set([sql, ...others].map(schemaHash)).size, others.length + 1)
})
