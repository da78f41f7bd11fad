import type { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { page, type Page, type PageKey, type PageRequest } from '../database/paging.ts'
import { fieldsOf, type Row } from '../database/row.ts'
import { Run } from '../runs/run.ts'
import { describeCron, warningsOf } from './cron/describe.ts'
import { fireReasons, type RecordedOutcome } from './fires/fire-reasons.ts'
import { nextFires } from './cron/fire-times.ts'
import { planOf, type Plan } from './plan.ts'
import { ScheduleFire } from './fires/schedule-fire.ts'
import { Schedule } from './schedule.ts'

/** Upcoming fires and past fires in the view of a schedule. */
const shown = 10

/** A fire, with a sentence for its reason. */
type FireWithMessage = Omit<ScheduleFire, keyof Row> & { message: string | null }

/** What owners see of their agents' schedules. */
export function createReadSchedules(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  return {
    /**
     * The agent's schedule in words, with its next ten fires and its last ten, newest first. `inStep` says whether
     * Temporal is known to have the current state. NOT_FOUND for an agent without a schedule.
     */
    async view(agent: Agent) {
      const plan = assertScheduled(agent)
      const now = clock.now()
      const schedule = await Schedule.query(database).findById(agent.id)
      const last = await firesOf(database, agent).orderBy('nominalAt', 'desc').limit(shown)
      return {
        cron: agent.cron,
        timeZone: plan.timeZone,
        description: describeCron(plan.cron, plan.timeZone),
        paused: agent.pausedAt !== null,
        inStep: schedule !== undefined && schedule.generation === schedule.syncedGeneration,
        warnings: warningsOf(plan.cron, plan.timeZone, now),
        next: nextFires(plan.cron, plan.timeZone, now, shown).map((at) => ({ at, local: local(at, plan.timeZone) })),
        last: last.map(withMessage),
      }
    },

    /** One page of an agent's ledger, newest first. Throws for an invalid cursor. */
    async fires(
      agent: FiredAgent,
      request: PageRequest & { outcome?: RecordedOutcome | undefined },
    ): Promise<Page<FireWithMessage>> {
      const only = { outcome: request.outcome }
      const fires = await page(firesOf(database, agent), {
        list: 'fires',
        ...request,
        only,
        key: byTime,
        time: byTime.column,
        rangeOf: ({ since, until }) => ({ from: since, before: until }),
      })
      return { ...fires, items: fires.items.map(withMessage) }
    },
  }
}

function assertScheduled(agent: Agent): Plan {
  assertThat(agent.trigger === 'scheduled', 'NOT_FOUND', {
    message: `The agent has no schedule because its trigger is "${agent.trigger}". Set a schedule with PATCH /agents/${agent.id}.`,
  })
  const plan = planOf(agent)
  const message = `The agent's schedule cannot be parsed, so it never starts a run. Set it again with PATCH /agents/${agent.id}.`
  assertThat(plan, 'NOT_FOUND', { message })
  return plan
}

type FiredAgent = Pick<Agent, 'id' | 'ownerId'>

/** Runs are kept for less time than fires. A deleted run is null. */
const firesOf = (database: Database, { id: agentId, ownerId }: FiredAgent) =>
  ScheduleFire.query(database)
    .select('agentId', 'nominalAt', 'outcome', 'reason', 'recordedAt')
    .select(
      Run.query(database).select('id').whereColumn('runs.id', 'scheduleFires.runId').where({ ownerId }).as('runId'),
    )
    // Fires from before a move belong to the previous owner.
    .where({ agentId, ownerId })

const withMessage = (fire: ScheduleFire): FireWithMessage => ({
  ...fieldsOf(fire),
  message: fire.reason === null ? null : fireReasons[fire.reason].message,
})

const byTime: PageKey<ScheduleFire> = {
  column: 'nominalAt',
  read: (text) => (/^\d{1,15}$/.test(text) ? new Date(Number(text)) : undefined),
  write: ({ nominalAt }) => String(nominalAt.getTime()),
}

/** Local time in the zone: `Mon, 23 Nov 2026, 09:00 GMT+1`. */
const local = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'shortOffset',
  }).format(at)
