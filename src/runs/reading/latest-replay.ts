import type { Database } from '../../database/database.ts'
import type { RunStatus } from '../states.ts'

interface Replay {
  runId: string
  status: RunStatus
}

/** The latest run of the same delivery or input after this one, if any. */
export async function latestReplay(database: Database, runId: string): Promise<Replay | undefined> {
  const { rows } = await database.raw<{ rows: Replay[] }>(latestStatement, { runId })
  return rows[0]
}

const latestStatement = `
  select later.id as "runId", later.status
    from runs r join runs later on later.first_run_id = coalesce(r.first_run_id, r.id) and later.sequence > r.sequence
   where r.id = :runId
   order by later.sequence desc limit 1`
