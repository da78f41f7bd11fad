import type { Database } from '../database/database.ts'

/** The most agents that are counted for each entry. */
const mostCounted = 100

/** How many agents can use each entry. Entries without agents are left out. */
export async function agentCountsOf(database: Database, entryIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await database.raw<{ rows: { id: string; count: number }[] }>(statement, { entryIds, mostCounted })
  return new Map(rows.map(({ id, count }) => [id, count]))
}

// Not a join, which may read all of an entry's agents before the limit applies.
const statement = `
  select e.id, count(*)::int as count
    from unnest(:entryIds::uuid[]) as e (id)
   cross join lateral (
     select 1 from agent_sites s
      where s.vault_entry_id = e.id and (select a.deleted_at is null from agents a where a.id = s.agent_id)
      order by s.agent_id limit :mostCounted) used
   group by e.id`
