import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { closeFires, lockSchedule, moveOn } from './ledger.ts'
import { planOf } from '../plan.ts'

/** Agents that one round looks at. */
const batch = 20

/** How long after the catch-up window a fire that is not on record is given up: by then its tick has had every chance. */
const graceMs = 60_000

/** So long nothing more must have been missed before the owner is told: then all of an outage is told at once. */
const quietMs = 30_000

/** A year, and how many older rows are thrown away at a time. */
const keptMs = 365 * 86_400_000
const purged = 1000

interface Missed {
  agentId: string
  ownerId: string
  name: string
  count: number
  /** How many of them were left out because the owner's credits were used up. */
  unpaid: number
  first: Date
  last: Date
}

/**
 * Keeps the ledger complete: every nominal fire gets its row, also the one that nothing ever reported. To be called by
 * one process at a time.
 */
export function createFiller(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'scheduleCatchUpSeconds'>
  notifications: Notifications
}) {
  const { database, clock, config, notifications } = context
  const giveUp = (now: Date): Date => new Date(now.getTime() - config.scheduleCatchUpSeconds * 1000 - graceMs)

  async function due(now: Date): Promise<string[]> {
    const bindings = { now, before: giveUp(now), batch }
    const { rows } = await database.raw<{ rows: { agentId: string }[] }>(dueStatement, bindings)
    return rows.map(({ agentId }) => agentId)
  }

  async function fillOne(trx: Transaction, agentId: string): Promise<void> {
    const { agent, schedule } = await lockSchedule(trx, agentId)
    const plan = planOf(agent)
    if (!agent || !schedule || !plan) return
    const now = clock.now()
    // A paused agent's fires will not come; the others are waited for.
    const close = agent.pausedAt
      ? { until: now, reason: 'PAUSED' as const }
      : { until: giveUp(now), reason: 'NOT_FIRED' as const }
    await closeFires(trx, schedule, plan, { ...close, now })
    await moveOn(trx, schedule, plan, now)
  }

  /** Without the agents whose owners were told today: there may be thousands of them, and this is asked often. */
  async function missedUntold(now: Date): Promise<Missed[]> {
    const day = dayOf(now)
    const bindings = { day, from: `${day}T00:00:00Z`, before: new Date(now.getTime() - quietMs) }
    const { rows } = await database.raw<{ rows: Missed[] }>(missedStatement, bindings)
    return rows
  }

  return {
    /** Writes the rows of the fires that did not take place. */
    async fill(): Promise<void> {
      for (const agentId of await due(clock.now())) await database.transaction((trx) => fillOne(trx, agentId))
    },

    /**
     * Tells owners of the fires that were missed, or left out because their credits were used up: once for an agent and
     * day (UTC). Of what they have done themselves (pausing, changing, a run that takes long) the ledger alone tells.
     */
    async tellMissed(): Promise<void> {
      const now = clock.now()
      for (const missed of await missedUntold(now)) {
        await database.transaction((trx) => notifications.tell(trx, tellingOf(missed, dayOf(now))))
      }
    },

    /** Throws away rows that are older than a year, a batch of them. */
    async purge(): Promise<void> {
      await database.raw(purgeStatement, { before: new Date(clock.now().getTime() - keptMs), purged })
    },
  }
}

/** The day (UTC), which lasts until what was missed at its very end has been told. */
const dayOf = (now: Date): string => new Date(now.getTime() - 3 * quietMs).toISOString().slice(0, 10)

function tellingOf({ agentId, ownerId, name, count, unpaid, first, last }: Missed, day: string) {
  const [from, until] = [first, last].map((at) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`)
  const which = count === 1 ? `The fire of ${from}` : `${count} fires from ${from} to ${until}`
  const fires = count === 1 ? 'a fire' : `${count} fires`
  const next = unpaid > 0 ? 'it goes on when you have credits again' : 'the next one takes place as planned'
  return {
    ownerId,
    kind: 'schedule_missed' as const,
    subjectId: agentId,
    key: day,
    title: `The schedule of ${name} missed ${fires}${unpaid === count ? ': no credits' : ''}`,
    message: `${which} of the agent ${name} did not take place${becauseUnpaid(count, unpaid)}. Missed fires are not made up for; ${next}. GET /agents/${agentId}/fires says why. You are told of this once a day at most.`,
  }
}

function becauseUnpaid(count: number, unpaid: number): string {
  if (unpaid === 0) return ''
  return `${unpaid === count ? '' : `, ${unpaid} of them`} because your credits were used up`
}

const dueStatement = `
  select s.agent_id as "agentId" from schedules s join agents a on a.id = s.agent_id
   where s.next_fire_at <= :now and a.deleted_at is null and a.trigger = 'scheduled'
     and (a.paused_at is not null or s.next_fire_at <= :before)
   order by s.next_fire_at limit :batch`

const missedStatement = `
  select a.id as "agentId", a.owner_id as "ownerId", a.name, count(*)::int as count,
         count(*) filter (where f.reason = 'NO_CREDITS')::int as unpaid,
         min(f.nominal_at) as first, max(f.nominal_at) as last
    from schedule_fires f join agents a on a.id = f.agent_id
   where f.recorded_at >= :from and f.reason in ('LATE', 'NOT_FIRED', 'NO_CREDITS')
     and not exists (select 1 from notifications n
                      where n.owner_id = a.owner_id and n.kind = 'schedule_missed'
                        and n.subject_id = a.id and n.dedupe_key = :day)
   group by a.id having max(f.recorded_at) < :before`

const purgeStatement = `
  delete from schedule_fires where ctid in
    (select ctid from schedule_fires where recorded_at < :before order by recorded_at limit :purged)`
