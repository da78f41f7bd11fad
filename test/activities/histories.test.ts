// @promise secrecy
import { Client, Connection } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import test from 'ava'
import { createActivities } from '../../activities/index.ts'
import { newId } from '../../src/ids.ts'
import { sightings, textsIn } from '../helpers/canaries.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, ended, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { activityEnvironment } from './environment.ts'

/** Has Postgres refuse a step with a canary in everything that it says of an error. */
const refuseSteps = (canary: string) => `
  create function refuse() returns trigger language plpgsql as $$ begin
    raise exception '${canary}' using detail = '${canary}', hint = '${canary}'; end $$;
  create trigger refuse before insert on steps for each row execute function refuse()`

test('what nobody foresaw goes into the log, and not into the history of the run', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const { database } = platform.services
  const connection = await Connection.connect({ address: platform.config.temporal.address })
  t.teardown(() => connection.close())
  const canary = 'canary-4711'
  await database.raw(refuseSteps(canary))
  const someone = await person(platform)
  const { id } = (await start(someone, await agentOf(someone))).body
  const handle = new Client({ connection }).workflow.getHandle(`run/${id}`)
  const seen: string[] = []
  await eventually(15, 'Temporal shows a failed attempt', async () => {
    const description = await handle.describe().catch(() => undefined)
    if (!description?.raw.pendingActivities?.some(({ lastFailure }) => lastFailure)) return undefined
    seen.push(...textsIn(description.raw))
    return true
  })
  await database.raw('drop trigger refuse on steps')
  t.is((await ended(someone, id)).status, 'completed')
  seen.push(...textsIn(await handle.fetchHistory()))
  t.true(seen.includes('INTERNAL_ERROR'))
  t.deepEqual(sightings({ canary }, seen), [])
  t.true(platform.logs.some((line) => line.includes(canary)))
})

type Activity = (input: Record<string, unknown>) => Promise<unknown>

test('no activity lets the message of an error out that nobody foresaw', async (t) => {
  const { services } = await startPlatform(t)
  // Whatever an activity looks for first is not there, and Postgres names it.
  for (const table of ['runs', 'agent_queues'])
    await services.database.raw('alter table ?? rename to ??', [table, newId()])
  const input = { runId: newId(), agentId: newId(), callId: newId(), epoch: 1, generation: 1, status: 'completed' }
  const fired = { nominalAt: new Date().toISOString(), requestId: newId(), reason: null }
  const activities = Object.entries(createActivities(services) as unknown as Record<string, Activity>)
  t.true(activities.length >= 5)
  for (const [name, activity] of activities) {
    const failure: unknown = await activityEnvironment()
      .run(activity, { ...input, ...fired })
      .catch((error: unknown) => error)
    if (!(failure instanceof ApplicationFailure)) throw new Error(`${name} did not fail as it ought to`)
    t.is(failure.type, 'INTERNAL_ERROR', name)
    const { message, stack, details, cause } = failure
    t.deepEqual(sightings({ cause: 'does not exist' }, textsIn([message, stack, details, cause])), [])
  }
})
