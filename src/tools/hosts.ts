import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { limitedHost } from './limited-host.ts'
import { OutgoingHost } from './outgoing-host.ts'

const maxListed = 1000

/** A host that is blocked, has its own limit or proposes one, as an admin sees it. */
interface KnownHost {
  host: string
  /** Calls per minute that an admin allows; null for OUTGOING_PER_MINUTE. */
  callsPerMinute: number | null
  proposedPerMinute: number | null
  /** The host requested a pause with a Retry-After. */
  held: { until: Date; reason: string | null } | null
  suspended: { at: Date; by: string | null; reason: string | null } | null
}

/**
 * Hosts that must not be called, because an admin suspended them or they requested a pause, and the limits of single
 * hosts.
 */
export function createHosts(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /** Changes a host if the condition holds, and returns whether it did. */
  async function end(host: string, userId: string, said: string, condition: string, changes: Partial<OutgoingHost>) {
    assertHost(host, config.sites)
    const row = OutgoingHost.query(database).findById(host).whereRaw(condition, { now: clock.now() })
    const hasChanged = (await row.patch(changes)) > 0
    if (hasChanged) logger.info({ userId, host }, said)
    return hasChanged
  }

  return {
    /**
     * Suspends a host until an admin lifts it. A repeated suspension changes the admin and the reason, but not the
     * start. VALIDATION_ERROR for an invalid host.
     */
    async suspend(host: string, adminUserId: string, reason: string): Promise<KnownHost> {
      assertHost(host, config.sites)
      const now = clock.now()
      await database.raw(suspendStatement, { host, now, adminUserId, reason })
      logger.info({ userId: adminUserId, host }, 'host suspended')
      const row = await OutgoingHost.query(database).findById(host)
      // Lifted again at the same moment.
      return row ? present(row, now) : { host, ...nothing }
    },

    /** Sets a host's calls per minute, instead of OUTGOING_PER_MINUTE. VALIDATION_ERROR for an invalid host. */
    async setLimit(host: string, adminUserId: string, callsPerMinute: number): Promise<KnownHost> {
      assertHost(host, config.sites)
      await OutgoingHost.query(database).insert({ host, callsPerMinute }).onConflict('host').merge(['callsPerMinute'])
      logger.info({ userId: adminUserId, host, callsPerMinute }, 'host limit set')
      const row = await OutgoingHost.query(database).findById(host)
      return row ? present(row, clock.now()) : { host, ...nothing }
    },

    /** Restores a host's usual limit; false if it has no other. VALIDATION_ERROR for an invalid host. */
    removeLimit: (host: string, adminUserId: string): Promise<boolean> =>
      end(host, adminUserId, 'host limit removed', 'calls_per_minute is not null', { callsPerMinute: null }),

    /** Lifts the suspension of a host; false if there is none. VALIDATION_ERROR for an invalid host. */
    lift: (host: string, adminUserId: string): Promise<boolean> =>
      end(host, adminUserId, 'host suspension lifted', 'suspended_at is not null', noSuspension),

    /** Ends the pause that a host requested; false if there is none. VALIDATION_ERROR for an invalid host. */
    endHold: (host: string, adminUserId: string): Promise<boolean> =>
      end(host, adminUserId, 'host pause ended', 'held_until > :now', { heldUntil: null, heldReason: null }),

    /** The blocked hosts and those with their own limit, by name, then those that propose one; at most a thousand. */
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

const noSuspension = { suspendedAt: null, suspendedBy: null, suspendedReason: null }

/** Strangers propose limits, so admins' decisions come first. */
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

/** Names and addresses. URLs allow wildcards, but none would match. */
const shape = /^([a-z0-9][a-z0-9._-]*|\[[0-9a-f:.]+\])(:\d+)?$/

/** Requires the spelling that calls are looked up by. Any other would suspend nothing. */
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
