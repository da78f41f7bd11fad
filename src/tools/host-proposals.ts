import { isObject } from '../json.ts'
import * as v from 'valibot'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { Manifest } from '../sites/manifest/manifest.ts'

import { limitedHost } from './limited-host.ts'

/** The most calls a minute that a manifest may ask for, and an admin may allow. */
export const maxPerMinute = 6000

const proposal = v.object({
  limits: v.object({ calls_per_minute: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxPerMinute)) }),
})

function proposedBy(manifest: Manifest): number | undefined {
  const read = v.safeParse(proposal, manifest)
  return read.success ? read.output.limits.calls_per_minute : undefined
}

/** What a manifest asks for in a way that says no number, for its author; undefined if it asks for nothing, or properly. */
export function proposalProblem(manifest: Manifest): string | undefined {
  const { limits } = manifest
  const asksForNothing = limits === undefined || (isObject(limits) && limits['calls_per_minute'] === undefined)
  if (asksForNothing || proposedBy(manifest) !== undefined) return undefined
  return `limits is ignored because it must be {"calls_per_minute": n}, where n is an integer from 1 to ${maxPerMinute}`
}

/**
 * Notes how many calls a minute the manifests of connected sites ask for, for admins to see. No limit follows from that.
 * What is no whole number from 1 to 6000 is no proposal. Nobody speaks for another host: the manifest must come from the
 * host that its tools are at.
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
