import type { Database, Transaction } from './database.ts'

/** The transaction's number in the order of arrival. The default of every such column is the same. */
export const arrivalNow = '((select base from arrivals) + pg_current_xact_id()::text::bigint)'

/** More transactions than a cluster ever has. */
const span = 2 ** 40

/** Postgres counts the transactions of a cluster, and restarts on the timeline of a recovery. */
const clusterStatement = `
  select a.base, a.cluster is distinct from s.system_identifier or a.timeline is distinct from c.timeline_id as "isOther"
    from arrivals a, pg_control_system() s, pg_control_checkpoint() c`

const columnsStatement = `
  select table_name as "table" from information_schema.columns
   where table_schema = current_schema() and column_name = 'arrival' order by table_name`

/**
 * Continues the numbers of arrival above all existing ones after a restore or a recovery, when the cluster would repeat
 * numbers. Briefly locks every list, so no transaction in progress uses the former base.
 */
export async function settleArrivals(database: Database): Promise<void> {
  const { rows: present } = await database.raw<{ rows: unknown[] }>(
    `select 1 where to_regclass('arrivals') is not null`,
  )
  if (present.length > 0) await database.transaction(settle)
}

async function settle(trx: Transaction): Promise<void> {
  const known = await readCluster(trx)
  if (known?.isOther) await setBase(trx, known.base + span)
}

/**
 * The same for rows that were just loaded beside a schema of its own, whose defaults do not know their numbers. Other
 * databases of one cluster share its transactions.
 */
export async function resettleArrivals(trx: Transaction): Promise<void> {
  const known = await readCluster(trx)
  if (known) await setBase(trx, known.isOther ? known.base + span : known.base)
}

async function readCluster(trx: Transaction): Promise<{ base: number; isOther: boolean } | undefined> {
  const { rows } = await trx.raw<{ rows: { base: number; isOther: boolean }[] }>(clusterStatement)
  return rows[0]
}

async function setBase(trx: Transaction, base: number): Promise<void> {
  const { rows: columns } = await trx.raw<{ rows: { table: string }[] }>(columnsStatement)
  for (const { table } of columns) {
    await trx.raw(`alter table ${table} alter column arrival set default ${base} + pg_current_xact_id()::text::bigint`)
  }
  await trx.raw(
    `update arrivals set base = ${base}, cluster = s.system_identifier, timeline = c.timeline_id
       from pg_control_system() s, pg_control_checkpoint() c`,
  )
}
