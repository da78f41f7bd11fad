import test from 'ava'
import * as agents from '../../api/agents.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer } from '../helpers/people.ts'
import { firesOf, generationOf, openSchedules, scheduledAgent, scheduleOf } from '../helpers/schedules.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { measured, repairsIn } from './record.ts'
import { openStage } from './stage.ts'

test('what an API has committed and died before telling Temporal is told by the worker', async (t) => {
  const stage = await openStage(t)
  const { platform } = stage
  // Its Temporal is out of reach, so that each of its commits stands without its telling when it is killed.
  const api = await stage.startApi({ TEMPORAL_ADDRESS: '127.0.0.1:1' })
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
  await api.kill()

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

test('schedules that somebody changed, deleted or left behind in Temporal are made right, each repair with its cause', async (t) => {
  const stage = await openStage(t)
  const { platform } = stage
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

  // A process of its own: the one of this test has told Temporal itself, and looks again only after a minute.
  const worker = await stage.startWorker()
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

test('a Temporal that has lost its storage gets its schedules back, and fires what was due in the meantime', async (t) => {
  t.timeout(200_000)
  const temporal = await startOwnTemporal(t)
  const stage = await openStage(t, { env: { TEMPORAL_ADDRESS: temporal.address } })
  const { platform } = stage
  const worker = await stage.startWorker()
  const someone = await customer(platform)
  const inTemporal = openSchedules(t, temporal.address)
  const agent = await scheduledAgent(someone, { cron: '* * * * *' })
  await inTemporal.until(agent, 'is there', (found) => found !== undefined)
  await platform.services.schedules.settled()
  await temporal.kill()
  await temporal.forget()
  // Until a fire is owed.
  const [{ at } = { at: '' }] = (await scheduleOf(someone, agent)).next
  await eventually(65, 'a minute begins', () => (new Date() > new Date(at) ? true : undefined))
  await temporal.start()
  const back = Date.now()
  const fire = await eventually(90, 'the fire is carried out', async () =>
    (await firesOf(someone, agent)).find((one) => one.at === at),
  )
  measured(t, `${Date.now() - back} ms from the return of Temporal until the fire that was due is on record`)
  t.like(fire, { at, outcome: 'ran' })
  t.true(repairsIn(worker.logs).some(({ repair }) => repair === 'schedule-missing'))
})
