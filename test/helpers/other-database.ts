import type { ExecutionContext } from 'ava'
import type { Client } from 'pg'
import { createEmptyDatabase, createTestDatabase, onServer } from './database.ts'

/** What a database of another version is refused with. */
export const refusal = /The database was made by another version of Switchyard, and nothing was changed in it\./

/** As it was when the schema was a list of many migrations. */
export const ofManyMigrations = `
  create table migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
  insert into migrations (name, batch, migration_time) values
    ('20261122000300-baseline', 1, now()), ('20261123000100-direct-call-keys', 2, now());
  create table users (id uuid primary key, email text)`

/** As it is once the SQL of the baseline has been edited. */
const ofAnotherBaseline = `update migrations set name = 'baseline-0123456789ab'`

/** A database that was made otherwise, and everything that can be seen to change in it. */
export async function otherDatabase(t: ExecutionContext, made: 'of many migrations' | 'of another baseline') {
  const isOld = made === 'of many migrations'
  const { url } = await (isOld ? createEmptyDatabase : createTestDatabase)(t)
  await onServer(url, (client) => client.query(isOld ? ofManyMigrations : ofAnotherBaseline))
  const look = () => onServer(url, everythingIn)
  return { url, look }
}

/** The tables with all rows, and where these lie: a row that is written lies somewhere else. */
async function everythingIn(client: Client): Promise<unknown> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  const found: unknown[] = []
  for (const { name } of rows) found.push(name, (await client.query(`select ctid, xmin, t.* from ${name} t`)).rows)
  return found
}
