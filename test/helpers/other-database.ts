import type { ExecutionContext } from 'ava'
import type { Client } from 'pg'
import { createEmptyDatabase, createTestDatabase, onServer } from './database.ts'

/** The sentence that refuses such a database. */
export const refusal =
  /The database was created by another version of Switchyard or another program\. Nothing in it was changed\./

/** The state when the schema consisted of many migrations. */
export const ofManyMigrations = `
  create table migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
  insert into migrations (name, batch, migration_time) values
    ('20261122000300-baseline', 1, now()), ('20261123000100-direct-call-keys', 2, now());
  create table users (id uuid primary key, email text)`

/** The state after an edit of the baseline's SQL. */
const ofAnotherBaseline = `update migrations set name = 'baseline-0123456789ab'`

/** The migrations table of another program, here Laravel. */
const ofAnotherProgram = `
  create table migrations (id serial primary key, migration varchar(255), batch integer);
  create table users (id bigserial primary key)`

/** Our own tables without a record of their baseline. */
const ofNoBaseline = 'delete from migrations'

const others = {
  'of many migrations': { sql: ofManyMigrations, create: createEmptyDatabase },
  'of another program': { sql: ofAnotherProgram, create: createEmptyDatabase },
  'of no baseline': { sql: ofNoBaseline, create: createTestDatabase },
  'of another baseline': { sql: ofAnotherBaseline, create: createTestDatabase },
}

/** A database that was made differently, and a view of everything that could change in it. */
export async function otherDatabase(t: ExecutionContext, made: keyof typeof others) {
  const { sql, create } = others[made]
  const { url } = await create(t)
  await onServer(url, (client) => client.query(sql))
  const look = () => onServer(url, everythingIn)
  return { url, look }
}

/** The tables with all rows and their physical positions, because a rewritten row moves. */
export async function everythingIn(client: Client): Promise<unknown> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  const found: unknown[] = []
  for (const { name } of rows) found.push(name, (await client.query(`select ctid, xmin, t.* from ${name} t`)).rows)
  return found
}
