import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { limitedHost } from './limited-host.ts'
import { OutgoingHost } from './outgoing-host.ts'

/** The most hosts that are listed; beyond that, query the database. */
const maxListed = 1000

/** A host that is not called, or that has a limit of its own or asks for one, as an admin sees it. */
interface KnownHost {
  host: string
  /** How many calls a minute an admin allows; null for OUTGOING_PER_MINUTE. */
  callsPerMinute: number | null
  /** How many its manifest asks for. */
  proposedPerMinute: number | null
  /** The host itself asked for a pause, with a Retry-After. */
  held: { until: Date; reason: string | null } | null
  /** An admin has suspended it. */
  suspended: { at: Date; by: string | null; reason: string | null } | null
}

/**
 * Hosts whose tools are not called, because an admin suspended them or because they asked for a pause, and limits of
 * single hosts.
 */
export function createHosts(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  return {
    /**
     * Suspends a host until an admin lifts that. Suspending again changes by whom and why, but not since when.
     * VALIDATION_ERROR for an invalid host.
     */
    async suspend(host: string, adminUserId: string, reason: string): Promise<KnownHost> {
      assertHost(host, config.sites)
      const now = clock.now()
      await database.raw(suspendStatement, { host, now, adminUserId, reason })
      logger.info({ userId: adminUserId, host }, 'a host was suspended')
      const row = await OutgoingHost.query(database).findById(host)
      // Lifted again in the same moment.
      return row ? present(row, now) : { host, ...nothing }
    },

    /**
     * Sets how many calls a minute the host may get, instead of OUTGOING_PER_MINUTE. VALIDATION_ERROR for an invalid
     * host.
     */
    async setLimit(host: string, adminUserId: string, callsPerMinute: number): Promise<KnownHost> {
      assertHost(host, config.sites)
      await OutgoingHost.query(database).insert({ host, callsPerMinute }).onConflict('host').merge(['callsPerMinute'])
      logger.info({ userId: adminUserId, host, callsPerMinute }, 'the limit of a host was set')
      const row = await OutgoingHost.query(database).findById(host)
      return row ? present(row, clock.now()) : { host, ...nothing }
    },

    /** Gives a host the usual limit again; false if it has none of its own. VALIDATION_ERROR for an invalid host. */
    async removeLimit(host: string, adminUserId: string): Promise<boolean> {
      assertHost(host, config.sites)
      const changed = await OutgoingHost.query(database)
        .findById(host)
        .whereNotNull('callsPerMinute')
        .patch({ callsPerMinute: null })
      if (changed > 0) logger.info({ userId: adminUserId, host }, 'the limit of a host was removed')
      return changed > 0
    },

    /** Ends the suspension of a host; false if there is none. VALIDATION_ERROR for an invalid host. */
    async lift(host: string, adminUserId: string): Promise<boolean> {
      assertHost(host, config.sites)
      const changed = await OutgoingHost.query(database)
        .findById(host)
        .whereNotNull('suspendedAt')
        .patch({ suspendedAt: null, suspendedBy: null, suspendedReason: null })
      if (changed > 0) logger.info({ userId: adminUserId, host }, 'the suspension of a host was lifted')
      return changed > 0
    },

    /** Ends the pause that a host has asked for; false if there is none. VALIDATION_ERROR for an invalid host. */
    async endHold(host: string, adminUserId: string): Promise<boolean> {
      assertHost(host, config.sites)
      const changed = await OutgoingHost.query(database)
        .findById(host)
        .where('heldUntil', '>', clock.now())
        .patch({ heldUntil: null, heldReason: null })
      if (changed > 0) logger.info({ userId: adminUserId, host }, 'the hold of a host was ended')
      return changed > 0
    },

    /**
     * The hosts that are not called now or have a limit of their own, by name, and after them those that ask for one; at
     * most a thousand.
     */
    async list(): Promise<KnownHost[]> {
      const now = clock.now()
      const rows = await OutgoingHost.query(database)
        .whereRaw(`${decided} or proposed_per_minute is not null`, { now })
        .orderByRaw(`(${decided}) desc, host`, { now })
        .limit(maxListed)
      return rows.map((row) => present(row, now))
    },
  }
}

/** Strangers propose limits, so what somebody has decided comes first. */
const decided = 'suspended_at is not null or coalesce(held_until > :now, false) or calls_per_minute is not null'

const nothing = { callsPerMinute: null, proposedPerMinute: null, held: null, suspended: null }

function present(row: OutgoingHost, now: Date): KnownHost {
  const { host, heldUntil, heldReason, suspendedAt, suspendedBy, suspendedReason, callsPerMinute, proposedPerMinute } =
    row
  return {
    host,
    callsPerMinute,
    proposedPerMinute,
    held: heldUntil !== null && heldUntil > now ? { until: heldUntil, reason: heldReason } : null,
    suspended: suspendedAt && { at: suspendedAt, by: suspendedBy, reason: suspendedReason },
  }
}

/** Names and addresses; no wildcards, which URLs allow and which would match nothing. */
const shape = /^([a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])(:\d+)?$/

/** Only in the spelling that calls are looked up by; any other would suspend nothing. */
function assertHost(host: string, sites: Config['sites']): void {
  const url = host.length <= 260 ? URL.parse(`https://${host}`) : null
  const spelled = url && limitedHost(url.href, sites)
  const hint = spelled !== null && spelled !== host && shape.test(spelled) ? ` Did you mean ${spelled}?` : ''
  const form = sites.countPorts
    ? 'a lowercase host name, or host:port, without :443'
    : 'a lowercase host name without a port'
  assertThat(spelled === host && shape.test(host), 'VALIDATION_ERROR', {
    message: 'The host is invalid.',
    details: [{ path: 'host', message: `Must be ${form}.${hint}` }],
  })
}

const suspendStatement = `
  insert into outgoing_hosts (host, suspended_at, suspended_by, suspended_reason)
    values (:host, :now, :adminUserId, :reason)
  on conflict (host) do update
    set suspended_at = coalesce(outgoing_hosts.suspended_at, excluded.suspended_at),
        suspended_by = excluded.suspended_by, suspended_reason = excluded.suspended_reason`
