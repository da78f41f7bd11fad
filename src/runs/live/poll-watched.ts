import type { Database } from '../../database/database.ts'
import type { NewWords, WatcherPosition } from './partial-answer.ts'
import { attemptInProgress } from './attempt-in-progress.ts'

/** The current state of a watched run, with the words that follow its last event. */
export interface PolledRun extends NewWords {
  id: string
  events: number
  ended: boolean
  running: boolean
}

/** A watched run, and how much of its answer is known. */
export type KnownPosition = WatcherPosition & { runId: string }

/** Reads watched runs, each as of one moment: its events, and the words of its attempt in progress. */
export async function pollRuns(database: Database, runs: KnownPosition[]): Promise<PolledRun[]> {
  const { rows } = await database.raw<{ rows: PolledRun[] }>(pollStatement, {
    runIds: runs.map(({ runId }) => runId),
    steps: runs.map(({ step }) => step),
    attempts: runs.map(({ attempt }) => attempt),
    offsets: runs.map(({ offset }) => offset),
  })
  return rows
}

/** Tells workers that these runs are watched for the given seconds. */
export async function announceWatches(database: Database, runIds: string[], seconds: number): Promise<void> {
  // Sorted, so that two processes that announce the same runs do not deadlock.
  await database.raw(announceWatchesStatement, { runIds: runIds.toSorted(), seconds })
}

const pollStatement = `
  select r.id, r.events, r.ended_at is not null as ended, r.status = 'running' as running,
         r.steps + 1 as step, case when ${attemptInProgress} then r.attempt else 0 end as attempt, l.positions, l.words
    from unnest(:runIds::uuid[], :steps::int[], :attempts::int[], :offsets::int[]) as known (id, step, attempt, length)
    join runs r on r.id = known.id
   cross join lateral (
         select coalesce(array_agg(w.position order by w.position), '{}') as positions,
                coalesce(array_agg(w.words order by w.position), '{}') as words
           from live_words w
          where ${attemptInProgress} and w.subject_id = r.id and w.step = r.steps + 1 and w.attempt = r.attempt
            and (w.step, w.attempt, w.position) >= (known.step, known.attempt, known.length)) l`

const announceWatchesStatement = `
  insert into live_watches as known (run_id, until)
  select run_id, statement_timestamp() + :seconds * interval '1 second' from unnest(:runIds::uuid[]) as run_id
      on conflict (run_id) do update set until = excluded.until where known.until < excluded.until`
