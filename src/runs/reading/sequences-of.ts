import type { Database } from '../../database/database.ts'
import { widened, type KeyRange, type Period } from '../../database/paging.ts'

/**
 * Which sequences of an agent the runs of a period have. Runs of an agent are accepted one after the other, so their
 * times grow with their sequences, but for the difference between the clocks of API processes.
 */
export async function sequencesOf(database: Database, agentId: string, period: Period): Promise<KeyRange> {
  const { since, until } = widened(period)
  const first = async (at: Date | undefined) => at && firstSequenceAt(database, agentId, at)
  const [from, before] = await Promise.all([first(since), first(until)])
  return { from, before }
}

/** The sequence of the agent's first run from this time on; the next one that it will give if there is none yet. */
async function firstSequenceAt(database: Database, agentId: string, at: Date): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ sequence: number }] }>(firstStatement, { agentId, at })
  return rows[0].sequence
}

/**
 * Halves the sequences until one is left: twenty looks into the index for a million runs. An index of the times would
 * be written with every run. Purged runs leave gaps, so each look takes the next run that there is.
 */
const firstStatement = `
  with recursive halved (low, high) as (
    select coalesce(min(sequence), 1), coalesce(max(sequence), 0) + 1 from runs where agent_id = :agentId::uuid
    union all
    select case when r.accepted_at < :at::timestamptz then r.sequence + 1 else h.low end,
           case when r.accepted_at < :at::timestamptz then h.high else h.middle end
      from (select low, high, (low + high) / 2 as middle from halved where low < high) h
     cross join lateral (
       select sequence, accepted_at from runs
        where agent_id = :agentId::uuid and sequence >= h.middle order by sequence limit 1) r
  )
  select low as sequence from halved where low >= high`
