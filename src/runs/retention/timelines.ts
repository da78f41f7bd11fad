import { leastId } from '../../ids.ts'
import { isLockTimeout, type Database } from '../../database/database.ts'
import { dropPartition, hasRuns, listPartitions, partitionedTables, type Partition } from './partitions.ts'

/** Runs whose leftovers one statement looks for. */
const batch = 1000

/** How long the rows of a week wait for its last runs to be purged, before they are deleted singly, in milliseconds. */
const graceMs = 7 * 86_400_000

/** What a round purged: partitions as a whole, and single rows. */
interface Purged {
  partitions: string[]
  rows: number
}

/**
 * Purges timelines of runs that are gone. A week's partitions are dropped when no run of that week is left. While a run
 * is kept beyond its time, because it waits, or was never started, the leftovers of the others are deleted singly.
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

/** False if the table is too busy. Who reads one often reads them all, and writers wait in the meantime: the round is over. */
async function isDropped(database: Database, partition: Partition): Promise<boolean> {
  try {
    return await dropPartition(database, partition)
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/** How many rows were deleted, and the last run that was looked at; null if there are no more. */
interface Deleted {
  count: number
  last: string | null
}

/** Walks through the runs of a partition, and deletes the rows of those that are gone. */
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

/** A run that arrived and is not deleted yet is seen with its rows: both were written in one transaction. */
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
