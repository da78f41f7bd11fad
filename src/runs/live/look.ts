import type { Database } from '../../database/database.ts'
import type { Overheard, Place } from './heard.ts'
import { underWay } from './under-way.ts'

/** A watched run as of now, with the words that follow its last event. */
export interface Sight extends Overheard {
  id: string
  events: number
  ended: boolean
  running: boolean
}

/** A watched run, and how far its words are known. */
export type Looked = Place & { runId: string }

/** Reads watched runs, each in the state of one moment: its events, and the words of its attempt in progress. */
export async function look(database: Database, runs: Looked[]): Promise<Sight[]> {
  const { rows } = await database.raw<{ rows: Sight[] }>(lookStatement, {
    runIds: runs.map(({ runId }) => runId),
    steps: runs.map(({ step }) => step),
    attempts: runs.map(({ attempt }) => attempt),
    offsets: runs.map(({ offset }) => offset),
  })
  return rows
}

/** Lets workers know for so many seconds that somebody watches these runs. */
export async function announce(database: Database, runIds: string[], seconds: number): Promise<void> {
  // In order, so that two processes that announce the same runs do not wait for each other.
  await database.raw(announceStatement, { runIds: runIds.toSorted(), seconds })
}

const lookStatement = `
  select r.id, r.events, r.ended_at is not null as ended, r.status = 'running' as running,
         r.steps + 1 as step, case when ${underWay} then r.attempt else 0 end as attempt, l.positions, l.words
    from unnest(:runIds::uuid[], :steps::int[], :attempts::int[], :offsets::int[]) as known (id, step, attempt, length)
    join runs r on r.id = known.id
   cross join lateral (
         select coalesce(array_agg(w.position order by w.position), '{}') as positions,
                coalesce(array_agg(w.words order by w.position), '{}') as words
           from live_words w
          where ${underWay} and w.run_id = r.id and w.step = r.steps + 1 and w.attempt = r.attempt
            and (w.step, w.attempt, w.position) >= (known.step, known.attempt, known.length)) l`

const announceStatement = `
  insert into live_watches as known (run_id, until)
  select run_id, statement_timestamp() + :seconds * interval '1 second' from unnest(:runIds::uuid[]) as run_id
      on conflict (run_id) do update set until = excluded.until where known.until < excluded.until`
