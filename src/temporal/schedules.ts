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
import { quotedName } from '../names.ts'
import type { Calendar } from '../schedules/cron/calendars.ts'
import { agentOfSchedule, scheduleId, searchAttributes, type CronTickInput } from '../../workflows/messages.ts'

export interface WantedSchedule {
  agentId: string
  ownerId: string
  /** For operators; not compared with what Temporal has. */
  agentName: string
  generation: number
  calendars: Calendar[]
  paused: boolean
  catchUpSeconds: number
}

type CronTick = (input: CronTickInput) => Promise<void>
type Options = ScheduleOptions<ScheduleOptionsStartWorkflowAction<CronTick>> & { state: { paused: boolean } }

/**
 * How much longer than the catch-up window a tick tries to be recorded. By then the ledger records the fire as missed.
 */
const tickGraceMs = 10 * 60_000

/** The deadline for listing all schedules, in milliseconds. No request waits for it. */
const listingMs = 20_000

/**
 * Temporal's schedules, one per scheduled agent. Each starts the workflow `cronTick`. The record decides
 * (src/schedules): every call here sends the complete state, so it is safe to repeat.
 */
export function createTemporalSchedules(context: {
  client: Client
  taskQueue: string
  withDeadline: <T>(work: () => Promise<T>) => Promise<T>
  /** Registers our search attributes with a Temporal that lost its storage, and retries. */
  withAttributes: <T>(work: () => Promise<T>) => Promise<T>
}) {
  const { client, taskQueue, withDeadline, withAttributes } = context
  const handleOf = (agentId: string): ScheduleHandle => client.schedule.getHandle(scheduleId(agentId))

  async function change(wanted: WantedSchedule): Promise<boolean> {
    try {
      await withDeadline(() => handleOf(wanted.agentId).update<CronTick>(() => optionsOf(wanted, taskQueue)))
      return true
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return false
      throw error
    }
  }

  async function create(wanted: WantedSchedule): Promise<boolean> {
    try {
      await withDeadline(() => client.schedule.create<CronTick>(optionsOf(wanted, taskQueue)))
      return true
    } catch (error) {
      if (error instanceof ScheduleAlreadyRunning) return false
      throw error
    }
  }

  return {
    /** Creates or updates the agent's schedule. Returns false, because it removes nothing. */
    async put(wanted: WantedSchedule): Promise<false> {
      await withAttributes(async () => {
        if ((await change(wanted)) || (await create(wanted))) return
        // Another process created it between the two calls.
        await change(wanted)
      })
      return false
    },

    async remove(agentId: string): Promise<boolean> {
      try {
        await withDeadline(() => handleOf(agentId).delete())
        return true
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return false
        throw error
      }
    },

    /** How Temporal's schedule differs from the wanted one; `missing` if it does not exist. */
    async differences(wanted: WantedSchedule): Promise<string[]> {
      try {
        return compare(optionsOf(wanted, taskQueue), await withDeadline(() => handleOf(wanted.agentId).describe()))
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return ['missing']
        throw error
      }
    },

    /** Starts the fires of a past period now, including both ends. */
    async backfill(agentId: string, from: Date, until: Date): Promise<void> {
      await withDeadline(() => handleOf(agentId).backfill({ start: from, end: until, overlap: 'ALLOW_ALL' }))
    },

    /**
     * The agents with a schedule in Temporal, of all installations that share the namespace. May be slightly outdated.
     */
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

/** Temporal never makes fires wait for each other: the record decides which are skipped, and explains it. */
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
    staticSummary: `Starts a scheduled run of ${quotedName(wanted.agentName)}, or records why not`,
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

/** The compared parts of a calendar; it is always at second 0 of any year. */
const withoutDefaults = (calendar: object): object => {
  const { second: _second, year: _year, ...rest } = calendar as Record<string, unknown>
  return rest
}
