import { isObject } from '../json.ts'
import * as v from 'valibot'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Manifest } from '../sites/manifest.ts'

import { limitedHost } from './limited-host.ts'

/** The maximum calls per minute that a manifest may propose and an admin may allow. */
export const maxPerMinute = 6000

const proposal = v.object({
  limits: v.object({ calls_per_minute: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPerMinute)) }),
})

function proposedBy(manifest: Manifest): number | undefined {
  const read = v.safeParse(proposal, manifest)
  return read.success ? read.output.limits.calls_per_minute : undefined
}

/** The problem of an invalid proposal, for the manifest's author; undefined without a proposal or for a valid one. */
export function proposalProblem(manifest: Manifest): string | undefined {
  const { limits } = manifest
  const asksForNothing = limits === undefined || (isObject(limits) && limits['calls_per_minute'] === undefined)
  if (asksForNothing || proposedBy(manifest) !== undefined) return undefined
  return `limits is ignored because it must be {"calls_per_minute": n}, where n is an integer from 1 to ${maxPerMinute}`
}

/**
 * Records the calls per minute that manifests propose, for admins to see. A proposal sets no limit. Only whole numbers
 * from 1 to 6000 count, and only if the manifest comes from the host of its tools: nobody may propose for another host.
 */
export function createHostProposals(context: { database: Database; config: Pick<Config, 'sites'> }) {
  const { database, config } = context
  return async (origin: string, manifest: Manifest): Promise<void> => {
    const host = limitedHost(manifest.server.url, config.sites)
    if (host !== limitedHost(origin, config.sites)) return
    const perMinute = proposedBy(manifest) ?? null
    await database.raw(perMinute === null ? withdraw : propose, { host, perMinute })
  }
}

export type HostProposals = ReturnType<typeof createHostProposals>

const propose = `
  insert into outgoing_hosts (host, proposed_per_minute, proposed_at)
    values (:host, :perMinute, statement_timestamp())
  on conflict (host) do update
    set proposed_per_minute = excluded.proposed_per_minute, proposed_at = excluded.proposed_at`

const withdraw = `
  update outgoing_hosts set proposed_per_minute = null, proposed_at = null where host = :host and proposed_at is not null`
