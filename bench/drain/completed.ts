import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { onServer } from '../../test/helpers/database.ts'

interface Progress {
  left: number
  others: number
  seconds: number
}

/** How long nothing may change, in seconds. */
const patience = 120

/**
 * Waits until all of these runs have completed. Returns the seconds from the start of the first to the end of the last,
 * by the record. Asks the database, because asking the API would take processor time from what is measured.
 */
export const allCompleted = (database: string, runIds: string[]): Promise<number> =>
  onServer(database, async (client) => {
    let [left, changed] = [runIds.length, performance.now()]
    for (;;) {
      const now = await progress(client, runIds)
      if (now.others > 0) throw new Error(`${now.others} runs ended without completing`)
      if (now.left === 0) return now.seconds
      if (now.left < left) [left, changed] = [now.left, performance.now()]
      if (performance.now() - changed > patience * 1000) throw new Error(`${left} runs did not end`)
      await delay(250)
    }
  })

async function progress(client: Client, runIds: string[]): Promise<Progress> {
  const { rows } = await client.query<Progress>(statement, [runIds])
  return rows[0] as Progress
}

const statement = `
  select (cardinality($1::uuid[]) - count(*) filter (where status in ('completed', 'failed', 'cancelled', 'skipped')))::int
           as left,
         (count(*) filter (where status in ('failed', 'cancelled', 'skipped')))::int as others,
         extract(epoch from max(ended_at) - min(started_at))::float8 as seconds
    from runs where id = any($1::uuid[])`
