import type { Transaction } from '../database/database.ts'
import { quotedIdentifier } from './header.ts'

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/**
 * Does the work without foreign keys and triggers, as tables are loaded one after the other. The foreign keys are then
 * added again, which checks every row. Needs no superuser.
 */
export async function withoutConstraints(trx: Transaction, work: () => Promise<void>): Promise<void> {
  const { rows: keys } = await trx.raw<{ rows: ForeignKey[] }>(keysStatement)
  const { rows: tables } = await trx.raw<{ rows: { table: string }[] }>(triggersStatement)
  for (const { table, name } of keys) await trx.raw(`alter table ${table} drop constraint ${quotedIdentifier(name)}`)
  for (const { table } of tables) await trx.raw(`alter table ${table} disable trigger user`)
  await work()
  for (const { table, name, definition } of keys) {
    await trx.raw(`alter table ${table} add constraint ${quotedIdentifier(name)} ${definition}`)
  }
  for (const { table } of tables) await trx.raw(`alter table ${table} enable trigger user`)
}

const keysStatement = `
  select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
   where connamespace = current_schema()::regnamespace and contype = 'f' and conparentid = 0 order by 1, 2`

const triggersStatement = `
  select distinct tgrelid::regclass::text as "table"
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and c.relkind = 'r'`
