import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { delays } from './schedule.ts'

/** How long reading the ending before an attempt, and recording its outcome, may take, in milliseconds. */
export const recordMs = 20_000

/** A callback that is being tried. */
export interface Claimed {
  id: string
  agentId: string
  ownerId: string
  runId: string
  url: string
  /** Host and port of the address. */
  host: string
  /** The number of this attempt. */
  attempt: number
  tries: number
  giveUpAt: Date
}

/**
 * Claims the callback that has been due longest, leaving out the given hosts. It becomes due again well after the
 * attempt must have ended, so that others do not send at once if this process dies while sending.
 */
export function createClaim(context: { database: Database; clock: Clock; config: Pick<Config, 'callbacks'> }) {
  const { database, clock, config } = context
  const leaseSeconds = config.callbacks.timeoutSeconds + recordMs / 1000 + 10

  return async (fullHosts: string[]): Promise<Claimed | undefined> => {
    const bindings = { now: clock.now(), lease: leaseSeconds, delays, steps: delays.length, fullHosts }
    const { rows } = await database.raw<{ rows: Claimed[] }>(claimStatement, bindings)
    return rows[0]
  }
}

const claimStatement = `
  update callbacks
     set attempts = attempts + 1, tries = tries + 1,
         next_at = :now::timestamptz + make_interval(
           secs => greatest(:lease, (:delays::int[])[least(tries + 1, :steps)])::float8)
   where id = (select id from callbacks
                where status = 'pending' and next_at <= :now and split_part(url, '/', 3) <> all(:fullHosts::text[])
                order by next_at, id limit 1 for update skip locked)
  returning id, agent_id as "agentId", owner_id as "ownerId", run_id as "runId", url,
            split_part(url, '/', 3) as host, attempts as attempt, tries, give_up_at as "giveUpAt"`
