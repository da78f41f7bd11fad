import type { Database } from '../../database/database.ts'
import { widened, type KeyRange, type Period } from '../../database/paging.ts'

/**
 * The sequences of an agent's runs in a period. An agent accepts one run after the other, so times rise with sequences,
 * except for clock differences between API processes.
 */
export async function sequencesOf(database: Database, agentId: string, period: Period): Promise<KeyRange> {
  const { since, until } = widened(period)
  const first = async (at: Date | undefined) => at && firstSequenceAt(database, agentId, at)
  const [from, before] = await Promise.all([first(since), first(until)])
  return { from, before }
}

/** Sequence of the agent's first run at or after this time; the next free one if there is none. */
async function firstSequenceAt(database: Database, agentId: string, at: Date): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ sequence: number }] }>(firstStatement, { agentId, at })
  return rows[0].sequence
}

/**
 * Binary search: twenty index lookups for a million runs. An index on the time would be written with every run. Purged
 * runs leave gaps, so each lookup takes the next existing run.
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
