import type { Clock } from '../../clock.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'

/** Tables partitioned by the id of a run, or of a subject: a run or an answer of a chat. */
export const partitionedTables = {
  run_inputs: 'run_id',
  run_events: 'run_id',
  steps: 'subject_id',
  tool_calls: 'subject_id',
} as const

export type PartitionedTable = keyof typeof partitionedTables

/** How long before its week a partition is created, in milliseconds. */
const aheadMs = 14 * 86_400_000

/** How long a partition change waits for a lock. Others queue behind it meanwhile. */
const lockTimeout = `set local lock_timeout = '500ms'`

/** A week's partition of one table. */
export interface Partition {
  table: PartitionedTable
  name: string
  /** Its runs or subjects have ids from `from` (included) to `to` (excluded). */
  from: string
  to: string
  /** The time of `to`. */
  endsAt: Date
}

/** Creates partitions in advance, so that new runs avoid the default ones. */
export const createPartitions = ({
  database,
  clock,
  logger,
}: {
  database: Database
  clock: Clock
  logger: Logger
}) => ({
  async ensure(): Promise<void> {
    const created = await ensurePartitions(database, clock.now())
    if (created.length > 0) logger.info({ created }, 'created partitions')
  },
})

/** Creates missing partitions from the week of `since` until two weeks after now. Returns their names. */
export function ensurePartitions(database: Database, now: Date, since = now): Promise<string[]> {
  const until = new Date(now.getTime() + aheadMs)
  return database.transaction(async (trx) => {
    await trx.raw(lockTimeout)
    const { rows } = await trx.raw<{ rows: { name: string }[] }>('select ensure_partitions(:since, :until) as name', {
      since,
      until,
    })
    return rows.map(({ name }) => name)
  })
}

/** Existing partitions, without the default ones. */
export async function listPartitions(db: Database | Transaction): Promise<Partition[]> {
  const bindings = { tables: Object.keys(partitionedTables) }
  const { rows } = await db.raw<{ rows: Omit<Partition, 'endsAt'>[] }>(listStatement, bindings)
  return rows.map((row) => ({ ...row, endsAt: new Date(Number.parseInt(row.to.replace('-', '').slice(0, 12), 16)) }))
}

/** Drops the partition if nothing of its week is left; returns whether it did. Throws 55P03 if the table is too busy. */
export function dropPartition(database: Database, partition: Partition): Promise<boolean> {
  return database.transaction(async (trx) => {
    await trx.raw(lockTimeout)
    // A process whose clock is weeks behind commits before this lock, or writes to the default partition.
    await trx.raw('lock table only ?? in access exclusive mode', [partition.table])
    if (await isInUse(trx, partition)) return false
    await trx.raw('drop table ??', [partition.name])
    return true
  })
}

/** Whether the week has any run, or any other subject of the table. */
export async function isInUse(db: Database | Transaction, { table, from, to }: Partition): Promise<boolean> {
  for (const owners of ownersOf(table)) {
    const { rows } = await db.raw<{ rows: unknown[] }>('select from ?? where id >= ? and id < ? limit 1', [
      owners,
      from,
      to,
    ])
    if (rows.length > 0) return true
  }
  return false
}

/** Whose rows a table has. */
export const ownersOf = (table: PartitionedTable): string[] =>
  partitionedTables[table] === 'run_id' ? ['runs'] : ['runs', 'chat_answers']

/** A bound reads "FOR VALUES FROM ('…') TO ('…')", or "DEFAULT" for a default partition. */
const listStatement = `
  select p.relname as "table", c.relname as name, split_part(bound, '''', 2) as "from", split_part(bound, '''', 4) as "to"
    from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
   cross join lateral pg_get_expr(c.relpartbound, c.oid) as bound
   where p.oid = any(:tables::regclass[]) and bound <> 'DEFAULT'
   order by c.relname`
