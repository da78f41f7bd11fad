import test from 'ava'
import * as agents from '../../api/agents.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { firesOf, generationOf, openSchedules, scheduledAgent, scheduleOf } from '../helpers/schedules.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { measured, repairsIn, rounds } from './record.ts'
import { openStage } from './stage.ts'

const minuteMs = 60_000

test('what an API has committed without being able to tell Temporal is told by the worker', async (t) => {
  const { platform, environment } = await openStage(t)
  // An API whose Temporal is out of reach, so that each of its commits stands without its telling, now and later.
  const api = await startPlatform(t, { env: { ...environment, TEMPORAL_ADDRESS: '127.0.0.1:1' } })
  const owner = await customer(platform)
  const someone = { ...owner, url: api.url }
  const temporal = openSchedules(t)
  const [made, paused, deleted] = await Promise.all([1, 2, 3].map(() => scheduledAgent(owner)))
  for (const agent of [paused!, deleted!]) await temporal.until(agent, 'is there', (found) => found !== undefined)
  const orphaned = await scheduledAgent(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: paused!.id } })
  await call(someone, agents.deleteAgent, { params: { agentId: deleted!.id } })
  await call(someone, agents.updateAgent, { params: { agentId: made!.id }, body: { cron: '0 12 1 1 *' } })
  t.is(await temporal.describe(orphaned), undefined)
  t.false((await scheduleOf(someone, orphaned)).inStep)
  await api.services.schedules.settled()

  await platform.startWorker()
  const began = Date.now()
  await temporal.until(orphaned, 'is made', (found) => generationOf(found) === 1)
  await temporal.until(paused!, 'is paused', (found) => found?.state.paused === true)
  await temporal.until(deleted!, 'is gone', (found) => found === undefined)
  await temporal.until(made!, 'is changed', (found) => generationOf(found) === 2)
  measured(t, `${Date.now() - began} ms after the worker was ready until all are right`)
  await eventually(5, 'it is known to be right', async () => (await scheduleOf(owner, orphaned)).inStep || undefined)
  t.is(repairsIn(platform.logs).filter(({ repair }) => repair === 'schedule-unsynced').length, 4)
})

// @promise cron
test('schedules that somebody changed, deleted or left behind in Temporal are made right, each repair with its cause', async (t) => {
  const { platform, environment } = await openStage(t)
  const someone = await customer(platform)
  const temporal = openSchedules(t)
  const [paused, changed, deleted] = await Promise.all([1, 2, 3].map(() => scheduledAgent(someone)))
  const all = [paused!, changed!, deleted!]
  for (const agent of all) await temporal.until(agent, 'is there', (found) => found !== undefined)
  await platform.services.schedules.settled()
  const orphan = { id: (await scheduledAgent(someone)).id }
  const { found } = await temporal.until(orphan, 'is there', (one) => one !== undefined)
  await call(someone, agents.deleteAgent, { params: { agentId: orphan.id } })
  await temporal.until(orphan, 'is gone', (one) => one === undefined)
  await platform.services.schedules.settled()

  await temporal.handleOf(paused!).pause('by hand')
  await temporal.handleOf(changed!).update((before) => ({ ...before, spec: { cronExpressions: ['* * * * *'] } }))
  await temporal.handleOf(deleted!).delete()
  await temporal.schedule.create({ ...found!, scheduleId: `cron/${orphan.id}` })
  await eventually(10, 'the orphan is listed', async () => {
    const listed = await platform.services.temporal.schedules.listAgents()
    return listed.includes(orphan.id) || undefined
  })

  // Another than has told Temporal itself: that one would look again only after a minute.
  const worker = await startPlatform(t, { worker: true, env: environment })
  const began = Date.now()
  await temporal.until(paused!, 'goes on', (one) => one?.state.paused === false)
  await temporal.until(changed!, 'has its expression', (one) => one?.spec.calendars?.[0]?.comment === '0 0 1 1 * UTC')
  await temporal.until(deleted!, 'is there again', (one) => generationOf(one) === 1)
  await temporal.until(orphan, 'is gone again', (one) => one === undefined)
  measured(t, `${Date.now() - began} ms after the worker was ready until all are right`)
  const repairs = await eventually(5, 'the repairs are logged', () => {
    const seen = repairsIn(worker.logs)
    return seen.length >= 4 ? seen : undefined
  })
  t.deepEqual(
    [paused!, changed!, deleted!, orphan].map(({ id }) => {
      const { repair, cause } = repairs.find(({ agentId }) => agentId === id)!
      return `${repair}: ${cause}`
    }),
    [
      'schedule-differs: it differs in: paused',
      'schedule-differs: it differs in: time zone, calendars',
      'schedule-missing: Temporal does not have it',
      'schedule-orphan: its agent is deleted or not scheduled',
    ],
  )
})

// @promise fires
test('a Temporal that has lost its storage gets its schedules back, and fires what was due in the meantime', async (t) => {
  const temporal = await startOwnTemporal(t)
  const { platform } = await openStage(t, { worker: true, env: { TEMPORAL_ADDRESS: temporal.address } })
  const someone = await customer(platform)
  const inTemporal = openSchedules(t, temporal.address)
  // Once an hour, so that no other fire is due before the test is over.
  const due = Math.floor(Date.now() / minuteMs - 1) * minuteMs
  const agent = await scheduledAgent(someone, { cron: `${new Date(due).getUTCMinutes()} * * * *` })
  await inTemporal.until(agent, 'is there', (found) => found !== undefined)
  await platform.services.schedules.settled()
  await temporal.kill()
  await temporal.forget()
  // What the record would be like if the agent had been there two minutes ago already: a fire is owed.
  const at = new Date(due).toISOString()
  const changed = await platform.services
    .database('schedules')
    .where({ agentId: agent.id })
    .update({ recordedUntil: new Date(due - minuteMs), nextFireAt: at })
  t.is(changed, 1)
  // What Temporal lost without being away would be looked at after a minute only.
  await rounds(platform, 'schedules', 2)
  await temporal.start()
  const back = Date.now()
  const fire = await eventually(30, 'the fire is carried out', async () =>
    (await firesOf(someone, agent)).find((one) => one.at === at),
  )
  measured(t, `${Date.now() - back} ms from the return of Temporal until the fire that was due is on record`)
  t.like(fire, { at, outcome: 'ran' })
  t.true(repairsIn(platform.logs).some(({ repair }) => repair === 'schedule-missing'))
})
