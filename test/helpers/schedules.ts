import { Client, Connection, ScheduleNotFoundError, type ScheduleDescription } from '@temporalio/client'
import type { ExecutionContext } from 'ava'
import * as schedules from '../../api/schedules.ts'
import { scheduleId } from '../../workflows/messages.ts'
import { call } from './client.ts'
import { eventually } from './eventually.ts'
import { agentOf, type Person } from './people.ts'
import { temporalAddress } from './temporal.ts'

/** Creates an agent that by default fires on the first of January, so not during a test. */
export const scheduledAgent = (someone: Person, fields: Partial<Parameters<typeof agentOf>[1]> = {}) =>
  agentOf(someone, { trigger: 'scheduled', cron: '0 0 1 1 *', timeZone: 'UTC', ...fields })

export const scheduleOf = async (someone: Person, agent: { id: string }) =>
  (await call(someone, schedules.getSchedule, { params: { agentId: agent.id } })).body

export async function firesOf(someone: Person, agent: { id: string }) {
  const found: Awaited<ReturnType<typeof page>>['items'] = []
  const page = async (cursor: string | undefined) => {
    const query = { limit: '100', ...(cursor !== undefined && { cursor }) }
    return (await call(someone, schedules.listFires, { params: { agentId: agent.id }, query })).body
  }
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { items, nextCursor } = await page(cursor)
    found.push(...items)
    cursor = nextCursor
  }
  return found.toReversed()
}

/** Reads Temporal's schedules directly, as an operator would. */
export function openSchedules(t: ExecutionContext, address = temporalAddress()) {
  const connection = Connection.lazy({ address })
  t.teardown(() => connection.close())
  const { schedule, workflow } = new Client({ connection })
  const handleOf = (agent: { id: string }) => schedule.getHandle(scheduleId(agent.id))

  const describe = (agent: { id: string }): Promise<ScheduleDescription | undefined> =>
    handleOf(agent)
      .describe()
      .catch((error: unknown) => {
        if (error instanceof ScheduleNotFoundError) return undefined
        throw error
      })

  /** Waits until the schedule in Temporal matches; `undefined` means that none exists. */
  const until = (
    agent: { id: string },
    what: string,
    fits: (found: ScheduleDescription | undefined) => boolean,
    seconds = 20,
  ) =>
    eventually(seconds, `in Temporal the schedule ${what}`, async () => {
      const found = await describe(agent)
      return fits(found) ? { found } : undefined
    })
  return { schedule, workflow, handleOf, describe, until }
}

export const generationOf = (found: ScheduleDescription | undefined): number | undefined =>
  (found?.action.args as [{ generation: number }] | undefined)?.[0].generation
