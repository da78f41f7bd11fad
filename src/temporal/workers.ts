import type { Database } from '../database/database.ts'
import type { Row } from '../database/row.ts'
import { newId } from '../ids.ts'
import { version } from '../version.ts'
import { WorkerProcess } from './worker-process.ts'

/** How often a worker writes an unchanged row, in milliseconds. */
const reportMs = 5000

/** How long a report counts, in seconds. Two may be late or lost. */
const freshSeconds = 15

/** How long a silent worker is listed, in hours. */
const retentionHours = 24

/** `present`: whether its report is recent and it was polling then. */
type WorkerSighting = Omit<WorkerProcess, keyof Row> & { present: boolean }

export interface Presence {
  present: boolean
  /** If none does: when the last one did, if recorded. */
  since: Date | null
}

/**
 * The worker processes: each reports its presence every few seconds (table `workers`). Temporal also lists frozen
 * pollers, and those gone for less than five minutes. All times are the database's, because process clocks differ.
 */
export function createWorkers(context: { database: Database; config: { temporal: { taskQueue: string } } }) {
  const { database } = context
  const { taskQueue } = context.config.temporal
  const id = newId()
  let lastReport: { polling: boolean; at: number } | undefined

  return {
    /**
     * Reports that this process is present. `polling`: it is connected to Temporal and polls. Call it every second: it
     * writes every five, and immediately on a change.
     */
    async report(polling: boolean): Promise<void> {
      const at = performance.now()
      if (lastReport?.polling === polling && at - lastReport.at < reportMs) return
      await database.raw(reportStatement, { id, taskQueue, version, polling })
      lastReport = { polling, at }
    },

    signOff: async (): Promise<void> => void (await WorkerProcess.query(database).deleteById(id)),

    async presence(): Promise<Presence> {
      const { rows } = await database.raw<{ rows: [{ present: boolean; since: Date | null }] }>(presenceStatement, {
        taskQueue,
      })
      const [{ present, since }] = rows
      return { present, since: present ? null : since }
    },

    /** Every recorded worker, of all task queues, the latest report first; at most a thousand. */
    list: async (): Promise<WorkerSighting[]> => (await database.raw<{ rows: WorkerSighting[] }>(listStatement)).rows,

    async purge(): Promise<void> {
      await database.raw(purgeStatement)
    },
  }
}

export type Workers = ReturnType<typeof createWorkers>

const isPresent = `(polling and seen_at > statement_timestamp() - interval '${freshSeconds} seconds')`

const reportStatement = `
  insert into workers (id, task_queue, version, polling, polled_at, started_at, seen_at)
    values (:id, :taskQueue, :version, :polling, case when :polling then statement_timestamp() end,
            statement_timestamp(), statement_timestamp())
  on conflict (id) do update set polling = excluded.polling, seen_at = excluded.seen_at,
    polled_at = coalesce(excluded.polled_at, workers.polled_at)`

const presenceStatement = `
  select coalesce(bool_or(${isPresent}), false) as present, max(polled_at) as since
    from workers where task_queue = :taskQueue`

const listStatement = `
  select id, task_queue as "taskQueue", version, polling, polled_at as "polledAt", started_at as "startedAt",
         seen_at as "seenAt", ${isPresent} as present
    from workers order by seen_at desc, id limit 1000`

const purgeStatement = `
  delete from workers where seen_at < statement_timestamp() - interval '${retentionHours} hours'`
