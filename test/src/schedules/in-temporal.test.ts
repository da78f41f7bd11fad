import { randomUUID } from 'node:crypto'
import { Client, Connection, type ScheduleUpdateOptions } from '@temporalio/client'
import test from 'ava'
import { createLogger } from '../../../src/logger.ts'
import { parseCron } from '../../../src/schedules/cron/cron.ts'
import { toCalendars } from '../../../src/schedules/cron/calendars.ts'
import { createTemporal } from '../../../src/temporal/temporal.ts'
import { scheduleId } from '../../../workflows/messages.ts'
import { temporalAddress } from '../../helpers/temporal.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const open = forWholeFile(test, 'schedules in Temporal', async (t) => {
  const config = {
    address: temporalAddress(),
    namespace: 'default',
    taskQueue: `schedules-${randomUUID()}`,
    tls: false,
    uiUrl: undefined,
  }
  const temporal = createTemporal({ ...config, apiKey: undefined }, createLogger('silent', 'test'))
  const connection = Connection.lazy({ address: config.address })
  t.teardown(() => connection.close())
  t.teardown(() => temporal.close())
  return { schedules: temporal.schedules, client: new Client({ connection }).schedule }
})

const wantedFor = (agentId: string) => ({
  agentId,
  ownerId: 'owner',
  agentName: 'An agent',
  generation: 1,
  calendars: toCalendars(parseCron('0 0 1 1 *'), 'UTC'),
  paused: false,
  catchUpSeconds: 300,
})

type Options = ScheduleUpdateOptions

/** What somebody may change by hand, and what it is called when it is found. */
const changes: Record<string, (found: Options) => Options> = {
  paused: (found) => ({ ...found, state: { ...found.state, paused: true } }),
  limited: (found) => ({ ...found, state: { ...found.state, remainingActions: 3 } }),
  arguments: (found) => ({ ...found, action: { ...found.action, args: [] } }),
  workflow: (found) => ({ ...found, action: { ...found.action, workflowType: 'agentQueue' } }),
  'task queue': (found) => ({ ...found, action: { ...found.action, taskQueue: 'another' } }),
  overlap: (found) => ({ ...found, policies: { ...found.policies, overlap: 'SKIP' } }),
  'catch-up window': (found) => ({ ...found, policies: { ...found.policies, catchupWindow: 60_000 } }),
  'time zone': (found) => ({ ...found, spec: { ...found.spec, timezone: 'Europe/Berlin' } }),
  calendars: (found) => ({ ...found, spec: { ...found.spec, calendars: [{ hour: 5 }] } }),
  'other times': (found) => ({ ...found, spec: { ...found.spec, intervals: [{ every: '1 day' }] } }),
}

test('a schedule that was changed in Temporal by hand is found to differ, and made right', async (t) => {
  const { schedules, client } = await open()
  const wanted = wantedFor(randomUUID())
  t.deepEqual(await schedules.differences(wanted), ['missing'])
  await schedules.put(wanted)
  t.deepEqual(await schedules.differences(wanted), [])
  for (const [name, change] of Object.entries(changes)) {
    await client.getHandle(scheduleId(wanted.agentId)).update((found) => change(found as Options))
    t.deepEqual(await schedules.differences(wanted), [name])
    await schedules.put(wanted)
    t.deepEqual(await schedules.differences(wanted), [], name)
  }
  t.true(await schedules.remove(wanted.agentId))
  t.false(await schedules.remove(wanted.agentId))
})
