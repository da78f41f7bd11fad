import type { Database } from '../database/database.ts'

/** The most agents that are counted for each entry. */
const mostCounted = 100

/** How many agents can use each entry. Entries without agents are left out. */
export async function agentCountsOf(database: Database, entryIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await database.raw<{ rows: { id: string; count: number }[] }>(statement, { entryIds, mostCounted })
  return new Map(rows.map(({ id, count }) => [id, count]))
}

const statement = `
  select e.id, count(*)::int as count
    from unnest(:entryIds::uuid[]) as e (id)
   cross join lateral (
     select 1 from agent_sites s join agents a on a.id = s.agent_id
      where s.vault_entry_id = e.id and a.deleted_at is null limit :mostCounted) used
   group by e.id`
