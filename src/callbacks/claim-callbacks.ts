import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { recordMs, type Database } from '../database/database.ts'
import { delays } from './retry-schedule.ts'

export interface DueCallback {
  id: string
  ownerId: string
  /** Host and port of the address. */
  host: string
}

/** A callback with an attempt in progress. */
export interface Claimed extends DueCallback {
  /** Both null if it posts a notification. */
  agentId: string | null
  runId: string | null
  url: string
  attempt: number
  tries: number
  giveUpAt: Date
}

/** Owners and hosts that may have no further attempt now. */
export interface Full {
  owners: string[]
  /** Pairs of owner and host: `<owner> <host>`. */
  hosts: string[]
}

/**
 * Finds and claims due callbacks. A claimed callback becomes due again well after its attempt must have ended, so other
 * processes do not send it too early if this one dies.
 */
export function createClaim(context: { database: Database; clock: Clock; config: Pick<Config, 'callbacks'> }) {
  const { database, clock, config } = context
  const leaseSeconds = config.callbacks.timeoutSeconds + recordMs / 1000 + 10

  async function nextBehind(owner: string, full: Full): Promise<DueCallback | undefined> {
    const bindings = { owner, now: clock.now(), fullOwners: full.owners, fullHosts: full.hosts }
    const { rows } = await database.raw<{ rows: DueCallback[] }>(nextStatement, bindings)
    return rows[0]
  }

  return {
    /** The next callback: the longest-due one of the owner whose id follows the given one. */
    next: async (lastOwner: string, full: Full): Promise<DueCallback | undefined> =>
      (await nextBehind(lastOwner, full)) ?? (await nextBehind(beforeAll, full)),

    claim: async ({ id, ...due }: DueCallback): Promise<Claimed | undefined> => {
      const bindings = { id, now: clock.now(), lease: leaseSeconds, delays, steps: delays.length }
      const { rows } = await database.raw<{ rows: Omit<Claimed, keyof DueCallback>[] }>(claimStatement, bindings)
      return rows[0] && { id, ...due, ...rows[0] }
    },
  }
}

export type Claim = ReturnType<typeof createClaim>

/** Sorts before every owner's id. */
export const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Skips from owner to owner through the turn index and stops at the first with a due callback, so the cost does not
 * depend on the size of backlogs.
 */
const nextStatement = `
  with recursive owners as (
    (select owner_id, next_at from callbacks
      where status = 'pending' and owner_id > :owner
        and exists (select from callbacks where status = 'pending' and next_at <= :now)
      order by owner_id, next_at limit 1)
    union all
    (select following.* from owners, lateral (
       select owner_id, next_at from callbacks
        where status = 'pending' and owner_id > owners.owner_id order by owner_id, next_at limit 1) following)
  )
  select due.id, due.owner_id as "ownerId", split_part(due.url, '/', 3) as host
    from owners, lateral (
      select id, owner_id, url from callbacks
       where status = 'pending' and owner_id = owners.owner_id and next_at <= :now
         and owner_id || ' ' || split_part(url, '/', 3) <> all(:fullHosts::text[])
       order by next_at, id limit 1) due
   where owners.next_at <= :now and owners.owner_id <> all(:fullOwners::uuid[])
   limit 1`

const claimStatement = `
  update callbacks
     set attempts = attempts + 1, tries = tries + 1,
         next_at = :now::timestamptz + make_interval(
           secs => greatest(:lease, (:delays::int[])[least(tries + 1, :steps)])::float8)
   where id = (select id from callbacks
                where id = :id and status = 'pending' and next_at <= :now for update skip locked)
  returning agent_id as "agentId", run_id as "runId", url, attempts as attempt, tries, give_up_at as "giveUpAt"`
