import type { Database } from '../database/database.ts'
import type { Row } from '../database/row.ts'
import { newId } from '../ids.ts'
import { version } from '../version.ts'
import { WorkerProcess } from './worker-process.ts'

/** How often a worker's row is written while nothing about it changes, in milliseconds. */
const sayingMs = 5000

/** For how long it is believed: two sayings may be late or lost. */
const believedSeconds = 15

/** How long a worker that is silent is remembered, in hours, so that one can see that there was one. */
const rememberedHours = 24

/** `present`: whether it was heard of lately, was connected to Temporal then, and asked for work. */
type WorkerSighting = Omit<WorkerProcess, keyof Row> & { present: boolean }

/** Whether anybody carries out what is on a task queue. */
export interface Presence {
  present: boolean
  /** Where nobody does: the last time that somebody did, as far as it is remembered. */
  since: Date | null
}

/**
 * The worker processes: each says every few seconds that it is there (table `workers`). Temporal knows who polls too,
 * but only while it is reachable, and for five minutes after they are gone. All times are the database's, because the
 * clocks of processes differ.
 */
export function createWorkers(context: { database: Database; config: { temporal: { taskQueue: string } } }) {
  const { database } = context
  const { taskQueue } = context.config.temporal
  const id = newId()
  let said: { polling: boolean; at: number } | undefined

  return {
    /**
     * This process is there. `polling`: whether it is connected to Temporal and asks for work. To be called every second:
     * it is written every five, and at once when it changes.
     */
    async say(polling: boolean): Promise<void> {
      const at = performance.now()
      if (said?.polling === polling && at - said.at < sayingMs) return
      await database.raw(sayStatement, { id, taskQueue, version, polling })
      said = { polling, at }
    },

    /** This process takes nothing on any more. */
    leave: async (): Promise<void> => void (await WorkerProcess.query(database).deleteById(id)),

    /** Whether a worker of this process's task queue is there. */
    async presence(): Promise<Presence> {
      const { rows } = await database.raw<{ rows: [{ present: boolean; since: Date | null }] }>(presenceStatement, {
        taskQueue,
      })
      const [{ present, since }] = rows
      return { present, since: present ? null : since }
    },

    /** Every worker that is remembered, of all task queues, those heard of last first; a thousand at most. */
    list: async (): Promise<WorkerSighting[]> => (await database.raw<{ rows: WorkerSighting[] }>(listStatement)).rows,

    /** Forgets the workers that have been silent for a day. */
    async purge(): Promise<void> {
      await database.raw(purgeStatement)
    },
  }
}

export type Workers = ReturnType<typeof createWorkers>

const isPresent = `(polling and seen_at > statement_timestamp() - interval '${believedSeconds} seconds')`

const sayStatement = `
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
  delete from workers where seen_at < statement_timestamp() - interval '${rememberedHours} hours'`
