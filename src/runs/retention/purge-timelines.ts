import { leastId } from '../../ids.ts'
import { isLockTimeout, type Database } from '../../database/database.ts'
import { dropPartition, hasRuns, listPartitions, partitionedTables, type Partition } from './partitions.ts'

/** Runs checked per statement. */
const batch = 1000

/** How long a week's rows wait for its last runs before they are deleted individually, in milliseconds. */
const graceMs = 7 * 86_400_000

/** Result of a round: dropped partitions and deleted rows. */
interface Purged {
  partitions: string[]
  rows: number
}

/**
 * Purges timelines of deleted runs. A week's partitions are dropped once no run of that week is left. While a run is
 * kept longer (it waits, or never started), the rows of the others are deleted individually.
 */
export async function purgeTimelines(database: Database, before: Date, isOver: () => boolean): Promise<Purged> {
  const purged: Purged = { partitions: [], rows: 0 }
  const old = (await listPartitions(database)).filter(({ endsAt }) => endsAt < before)
  const held: Partition[] = []
  for (const partition of old) {
    if (isOver()) return purged
    if (!(await hasRuns(database, partition))) {
      if (!(await isDropped(database, partition))) return purged
      purged.partitions.push(partition.name)
    } else if (partition.endsAt.getTime() < before.getTime() - graceMs) held.push(partition)
  }
  for (const table of [...held.map(({ name }) => name), ...partitionedTables.map((table) => `${table}_default`)]) {
    purged.rows += await deleteLeftovers(database, table, isOver)
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

/** Rows deleted, and the last run checked; null at the end. */
interface Deleted {
  count: number
  last: string | null
}

/** Walks a partition's runs and deletes the rows of deleted runs. */
async function deleteLeftovers(database: Database, table: string, isOver: () => boolean): Promise<number> {
  let deleted = 0
  let after: string | null = leastId
  while (after !== null && !isOver()) {
    const bindings: Record<string, unknown> = { table, after, batch }
    const { rows } = await database.raw<{ rows: [Deleted] }>(deleteLeftoversStatement, bindings)
    deleted += rows[0].count
    after = rows[0].last
  }
  return deleted
}

/** A new run is seen together with its rows, because one transaction writes both. */
const deleteLeftoversStatement = `
  with listed as (
    select distinct run_id from :table: where run_id > :after order by run_id limit :batch
  ), deleted as (
    delete from :table: where run_id in (
      select run_id from listed where not exists (select from runs where runs.id = listed.run_id))
    returning 1
  )
  select (select count(*)::int from deleted) as count,
         (select case when count(*) = :batch then (array_agg(run_id order by run_id desc))[1] end from listed) as last`
