import { isDeepStrictEqual } from 'node:util'
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type Client,
  type ScheduleDescription,
  type ScheduleHandle,
  type ScheduleOptions,
  type ScheduleOptionsStartWorkflowAction,
} from '@temporalio/client'
import type { Calendar } from '../schedules/cron/calendars.ts'
import { agentOfSchedule, scheduleId, searchAttributes, type CronTickInput } from '../../workflows/messages.ts'

/** A schedule as Temporal is to have it. */
export interface WantedSchedule {
  agentId: string
  ownerId: string
  generation: number
  calendars: Calendar[]
  paused: boolean
  /** How late Temporal may start a fire. */
  catchUpSeconds: number
}

type CronTick = (input: CronTickInput) => Promise<void>
type Options = ScheduleOptions<ScheduleOptionsStartWorkflowAction<CronTick>> & { state: { paused: boolean } }

/** A tick tries to be recorded for so much longer than the catch-up window; by then the ledger has it as missed. */
const tickGraceMs = 10 * 60_000

/** What may keep a request waiting, in milliseconds; a look at all schedules has no request behind it. */
const listingMs = 20_000

/**
 * Temporal's schedules, one per scheduled agent, each starting the workflow `cronTick`. Told here, decided in the record
 * (src/schedules): every call says all that Temporal must know, so it may be made again.
 */
export function createTemporalSchedules(context: {
  client: Client
  taskQueue: string
  soon: <T>(work: () => Promise<T>) => Promise<T>
  /** Makes a Temporal that has lost its storage know our search attributes, and tries again. */
  withAttributes: <T>(work: () => Promise<T>) => Promise<T>
}) {
  const { client, taskQueue, soon, withAttributes } = context
  const handleOf = (agentId: string): ScheduleHandle => client.schedule.getHandle(scheduleId(agentId))

  async function change(wanted: WantedSchedule): Promise<boolean> {
    try {
      await soon(() => handleOf(wanted.agentId).update<CronTick>(() => optionsOf(wanted, taskQueue)))
      return true
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return false
      throw error
    }
  }

  async function make(wanted: WantedSchedule): Promise<boolean> {
    try {
      await soon(() => client.schedule.create<CronTick>(optionsOf(wanted, taskQueue)))
      return true
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return false
      throw error
    }
  }

  return {
    /** Makes or changes the agent's schedule so that it is as wanted. Answers that none was removed. */
    async put(wanted: WantedSchedule): Promise<false> {
      await withAttributes(async () => {
        if ((await change(wanted)) || (await make(wanted))) return
        // Somebody else has made it between the two.
        await change(wanted)
      })
      return false
    },

    /** Takes the agent's schedule away; true if there was one. */
    async remove(agentId: string): Promise<boolean> {
      try {
        await soon(() => handleOf(agentId).delete())
        return true
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return false
        throw error
      }
    },

    /** In what the schedule that Temporal has differs from the wanted one; `missing` if there is none. */
    async differences(wanted: WantedSchedule): Promise<string[]> {
      try {
        return compare(optionsOf(wanted, taskQueue), await soon(() => handleOf(wanted.agentId).describe()))
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return ['missing']
        throw error
      }
    },

    /** Has the fires of a time that is past started as if it were now; `from` and `until` are both included. */
    async backfill(agentId: string, from: Date, until: Date): Promise<void> {
      await soon(() => handleOf(agentId).backfill({ start: from, end: until, overlap: 'ALLOW_ALL' }))
    },

    /** The agents that Temporal has schedules for, by all installations that share the namespace. A little out of date. */
    listAgents: (): Promise<string[]> =>
      client.withDeadline(Date.now() + listingMs, async () => {
        const found: string[] = []
        for await (const { scheduleId: id } of client.schedule.list()) {
          const agentId = agentOfSchedule(id)
          if (agentId !== undefined) found.push(agentId)
        }
        return found
      }),
  }
}

/** Fires never wait for each other here: whether one is skipped is decided in the record, where it is explained too. */
const optionsOf = (wanted: WantedSchedule, taskQueue: string): Options => ({
  scheduleId: scheduleId(wanted.agentId),
  // Why UTC, and why there may be more ticks than fires: src/schedules/cron/calendars.ts.
  spec: { calendars: wanted.calendars, timezone: 'UTC' },
  policies: { overlap: 'ALLOW_ALL', catchupWindow: wanted.catchUpSeconds * 1000 },
  state: { paused: wanted.paused, note: wanted.paused ? 'The agent is paused.' : 'The agent is scheduled.' },
  action: {
    type: 'startWorkflow',
    workflowType: 'cronTick',
    // Temporal appends the time.
    workflowId: scheduleId(wanted.agentId),
    args: [{ agentId: wanted.agentId, ownerId: wanted.ownerId, generation: wanted.generation }],
    taskQueue,
    workflowRunTimeout: wanted.catchUpSeconds * 1000 + tickGraceMs,
    staticSummary: 'One fire of a schedule: starts a run, or records why not',
    typedSearchAttributes: [
      { key: searchAttributes.agent, value: wanted.agentId },
      { key: searchAttributes.owner, value: wanted.ownerId },
      { key: searchAttributes.trigger, value: 'scheduled' },
    ],
  },
})

function compare(wanted: Options, found: ScheduleDescription): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['paused', wanted.state?.paused, found.state.paused],
    ['limited', undefined, found.state.remainingActions],
    ['arguments', wanted.action.args, found.action.args],
    ['workflow', wanted.action.workflowType, found.action.workflowType],
    ['task queue', taskQueueOf(wanted), taskQueueOf(found)],
    ['overlap', wanted.policies?.overlap, found.policies.overlap],
    ['catch-up window', wanted.policies?.catchupWindow, found.policies.catchupWindow],
    ['time zone', wanted.spec.timezone, found.spec.timezone],
    ['calendars', wanted.spec.calendars?.map(withoutDefaults), found.spec.calendars?.map(withoutDefaults)],
    ['other times', 0, (found.spec.intervals?.length ?? 0) + (found.spec.skip?.length ?? 0)],
  ]
  return pairs.filter(([, one, other]) => !isDeepStrictEqual(one, other)).map(([name]) => name)
}

const taskQueueOf = ({ action }: { action: { taskQueue: string } }): string => action.taskQueue

/** What is compared of a calendar; it is always at second 0 of any year. */
const withoutDefaults = (calendar: object): object => {
  const { second: _second, year: _year, ...rest } = calendar as Record<string, unknown>
  return rest
}
