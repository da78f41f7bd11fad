import { leastId } from '../../ids.ts'
import { isLockTimeout, type Database } from '../../database/database.ts'
import {
  dropPartition,
  isInUse,
  listPartitions,
  ownersOf,
  partitionedTables,
  type Partition,
  type PartitionedTable,
} from './partitions.ts'

/** Runs or answers checked per statement. */
const batch = 1000

/** How long a week's rows wait for its last runs and answers before they are deleted individually, in milliseconds. */
const graceMs = 7 * 86_400_000

/** Result of a round: dropped partitions and deleted rows. */
interface Purged {
  partitions: string[]
  rows: number
}

/**
 * Purges timelines of deleted runs. A week's partitions are dropped once no run of that week is left, nor any answer of a
 * chat whose rows they have. While one is kept longer (a run that waits, or never started), the rows of the others are
 * deleted individually.
 */
export async function purgeTimelines(database: Database, before: Date, isOver: () => boolean): Promise<Purged> {
  const purged: Purged = { partitions: [], rows: 0 }
  const old = (await listPartitions(database)).filter(({ endsAt }) => endsAt < before)
  const held: Partition[] = []
  for (const partition of old) {
    if (isOver()) return purged
    if (!(await isInUse(database, partition))) {
      if (!(await isDropped(database, partition))) return purged
      purged.partitions.push(partition.name)
    } else if (partition.endsAt.getTime() < before.getTime() - graceMs) held.push(partition)
  }
  const tables = Object.keys(partitionedTables) as PartitionedTable[]
  for (const partition of [...held, ...tables.map((table) => ({ table, name: `${table}_default` }))]) {
    purged.rows += await deleteLeftovers(database, partition, isOver)
  }
  return purged
}

/**
 * False if the table is too busy. The round then ends: readers of one table often read all, and writers wait meanwhile.
 */
async function isDropped(database: Database, partition: Partition): Promise<boolean> {
  try {
    return await dropPartition(database, partition)
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/** Rows deleted, and the last run or answer checked; null at the end. */
interface Deleted {
  count: number
  last: string | null
}

/** Walks a partition's runs and answers, and deletes the rows of deleted ones. */
async function deleteLeftovers(
  database: Database,
  { table, name }: Pick<Partition, 'table' | 'name'>,
  isOver: () => boolean,
): Promise<number> {
  let deleted = 0
  let after: string | null = leastId
  while (after !== null && !isOver()) {
    const bindings: Record<string, unknown> = { name, key: partitionedTables[table], after, batch }
    const { rows } = await database.raw<{ rows: [Deleted] }>(leftoversStatement(table), bindings)
    deleted += rows[0].count
    after = rows[0].last
  }
  return deleted
}

/** A run or an answer is seen with its rows, because no row is written before it. */
const leftoversStatement = (table: PartitionedTable): string => `
  with listed as (
    select distinct :key: as id from :name: where :key: > :after order by 1 limit :batch
  ), deleted as (
    delete from :name: where :key: in (
      select id from listed
       where ${ownersOf(table)
         .map((owners) => `not exists (select from ${owners} o where o.id = listed.id)`)
         .join(' and ')})
    returning 1
  )
  select (select count(*)::int from deleted) as count,
         (select case when count(*) = :batch then (array_agg(id order by id desc))[1] end from listed) as last`
