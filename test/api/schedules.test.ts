import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as schedules from '../../api/schedules.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { firesOf, generationOf, openSchedules, scheduledAgent, scheduleOf } from '../helpers/schedules.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const open = sharedPlatform(test, 'idle')

/** Where it is noon on 27 March 2026 until a test lets minutes pass. */
let now = new Date('2026-03-27T12:00:30Z')
const openInMarch = forWholeFile(test, 'schedules in March', (t) => startPlatform(t, { clock: { now: () => now } }))

test('an expression or a zone that cannot be used is refused, and the answer names the part', async (t) => {
  const someone = await person(await open())
  const refused = async (cron: string | null, timeZone: string | null, paths: string[], part = /./) => {
    const body = { name: 'A', systemPrompt: 'B', trigger: 'scheduled' as const, cron, timeZone }
    const { failure } = await call(someone, agents.createAgent, { body })
    t.is(failure.code, 'VALIDATION_ERROR')
    t.regex(failure.error, part)
    t.deepEqual(
      failure.details?.map(({ path }) => path),
      paths,
    )
  }
  await refused('61 * * * *', 'UTC', ['cron'], /minute field/)
  await refused('0 9 * * *', 'Europe/Berln', ['timeZone'], /Europe\/Berlin/)
  await refused('* * * *', 'Nowhere', ['cron', 'timeZone'])
  await refused(null, null, ['cron', 'timeZone'])

  const agent = await scheduledAgent(someone)
  const change = (body: { cron?: string; timeZone?: string }) =>
    call(someone, agents.updateAgent, { params: { agentId: agent.id }, body })
  t.regex((await change({ cron: '0 24 * * *' })).failure.error, /hour field/)
  t.is((await change({ timeZone: '+01:00' })).failure.details?.[0]?.path, 'timeZone')
  t.is((await change({ timeZone: 'europe/berlin' })).body.timeZone, 'Europe/Berlin')
  t.is((await scheduleOf(someone, agent)).timeZone, 'Europe/Berlin')
})

test('an agent that is given another trigger loses its expression and zone, and what it still owed is on record', async (t) => {
  const platform = await openInMarch()
  const someone = await person(platform)
  const temporal = openSchedules(t)
  const agent = await scheduledAgent(someone, { cron: '* * * * *' })
  await temporal.until(agent, 'is there', (found) => found !== undefined)
  type Body = { trigger?: 'manual' | 'scheduled'; cron?: string | null; timeZone?: string | null }
  const change = (body: Body) => call(someone, agents.updateAgent, { params: { agentId: agent.id }, body })
  const refused = async (body: Body, paths: string[]) => {
    const { failure } = await change(body)
    t.is(failure.code, 'VALIDATION_ERROR')
    t.deepEqual(
      failure.details?.map(({ path }) => path),
      paths,
    )
  }
  const row = () => platform.services.database('schedules').where({ agentId: agent.id }).first()

  await refused({ trigger: 'manual', cron: '0 9 * * *', timeZone: 'UTC' }, ['cron', 'timeZone'])
  await refused({ timeZone: null }, ['timeZone'])
  t.like(await row(), { generation: 1, nextFireAt: new Date('2026-03-27T12:01:00Z') })

  now = new Date('2026-03-27T12:02:30Z')
  const changed = await change({ trigger: 'manual' })
  t.is(changed.status, 200)
  t.like(changed.body, { trigger: 'manual', cron: null, timeZone: null })
  t.like(await row(), { generation: 2, nextFireAt: null, owed: [] })
  t.deepEqual(
    (await firesOf(someone, agent)).map(({ at, reason }) => [at, reason]),
    [
      ['2026-03-27T12:01:00.000Z', 'CHANGED'],
      ['2026-03-27T12:02:00.000Z', 'CHANGED'],
    ],
  )
  await temporal.until(agent, 'is gone', (found) => found === undefined)
  const none = await call(someone, schedules.getSchedule, { params: { agentId: agent.id } })
  t.is(none.failure.code, 'NOT_FOUND')
  t.is((await change({ trigger: 'manual' })).status, 200)
  t.is((await row()).generation, 2)
  await refused({ cron: '0 9 * * *' }, ['cron'])
  await refused({ trigger: 'scheduled', cron: '0 9 * * *' }, ['timeZone'])
  now = new Date('2026-03-27T12:05:30Z')
  t.is((await change({ trigger: 'scheduled', cron: '0 9 * * *', timeZone: 'UTC' })).status, 200)
  // Nothing is owed of the time in which it was not scheduled.
  t.like(await row(), { generation: 3, recordedUntil: now, nextFireAt: new Date('2026-03-28T09:00:00Z') })
})

test('the schedule of an agent is shown in words, with its next fires by the clocks of its zone', async (t) => {
  const someone = await person(await openInMarch())
  const agent = await scheduledAgent(someone, { cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
  const shown = await eventually(10, 'Temporal has it', async () => {
    const found = await scheduleOf(someone, agent)
    return found.inStep ? found : undefined
  })
  t.like(shown, { cron: '30 2 * * *', timeZone: 'Europe/Berlin', paused: false, last: [] })
  t.regex(shown.description, /At 02:30.*Europe\/Berlin/)
  t.is(shown.next.length, 10)
  // On 29 March the clocks jump over 02:30.
  t.like(shown.next, [
    { at: '2026-03-28T01:30:00.000Z', local: 'Sat, 28 Mar 2026, 02:30 GMT+1' },
    { at: '2026-03-30T00:30:00.000Z', local: 'Mon, 30 Mar 2026, 02:30 GMT+2' },
  ])
  t.true(shown.warnings.some(({ message }) => message.includes('29')))
})

test('what is done to a scheduled agent is done to its schedule in Temporal', async (t) => {
  const platform = await open()
  const someone = await person(platform)
  const temporal = openSchedules(t)
  const agent = await scheduledAgent(someone, { cron: '5 4 13 * 5', timeZone: 'Asia/Kolkata' })
  const params = { agentId: agent.id }
  const { found: made } = await temporal.until(agent, 'is there', (found) => found !== undefined)
  t.is(made?.action.taskQueue, platform.config.temporal.taskQueue)
  t.is(made?.action.workflowType, 'cronTick')
  t.deepEqual(made?.policies, { overlap: 'ALLOW_ALL', catchupWindow: 300_000, pauseOnFailure: false })
  // 04:05 in India is 22:35 UTC of the day before.
  t.deepEqual(
    made?.info.nextActionTimes.slice(0, 3).map((at) => at.toISOString()),
    (await scheduleOf(someone, agent)).next.slice(0, 3).map(({ at }) => at),
  )
  // What Temporal gives back compares equal to what it was told, or every look would find a difference to repair.
  const { wanted } = await platform.services.schedules.read(agent.id)
  t.deepEqual(wanted && (await platform.services.temporal.schedules.differences(wanted)), [])

  await call(someone, agents.pauseAgent, { params })
  const { found: paused } = await temporal.until(agent, 'is paused', (found) => found?.state.paused === true)
  t.is(paused?.state.note, 'The agent is paused.')
  t.true((await scheduleOf(someone, agent)).paused)
  await call(someone, agents.pauseAgent, { params })
  await call(someone, agents.resumeAgent, { params })
  await temporal.until(agent, 'goes on', (found) => found?.state.paused === false)
  await call(someone, agents.updateAgent, { params, body: { cron: '0 12 * * *' } })
  const { found: changed } = await temporal.until(
    agent,
    'has another expression',
    (found) => found?.spec.calendars?.[0]?.comment?.startsWith('0 12 * * * Asia/Kolkata') === true,
  )
  // Made, paused, resumed, changed; pausing twice was no change.
  t.is(generationOf(changed), 4)
  await call(someone, agents.updateAgent, { params, body: { name: 'Another name' } })
  const body = { trigger: 'manual' as const, cron: null, timeZone: null }
  await call(someone, agents.updateAgent, { params, body })
  await temporal.until(agent, 'is gone', (found) => found === undefined)
  await call(someone, agents.updateAgent, {
    params,
    body: { trigger: 'scheduled', cron: '0 0 1 1 *', timeZone: 'UTC' },
  })
  await temporal.until(agent, 'is there again', (found) => generationOf(found) === 6)
  await call(someone, agents.deleteAgent, { params })
  await temporal.until(agent, 'is gone with the agent', (found) => found === undefined)
  const manual = await agentOf(someone)
  t.is(await temporal.describe(manual), undefined)
})

// These two have a round made, which tells Temporal of every schedule of the platform that is not in step.
test.serial('after changes at the same instant, by two processes, Temporal has the last of them', async (t) => {
  const one = await open()
  const other = await startPlatform(t, {
    env: { DATABASE_URL: one.config.database.url, BASE_URL: one.url, TASK_QUEUE: one.config.temporal.taskQueue },
  })
  const someone = await person(one)
  const temporal = openSchedules(t)
  const agent = await scheduledAgent(someone)
  const params = { agentId: agent.id }
  const change = (number: number) => {
    const client = { ...someone, url: number % 2 === 0 ? one.url : other.url }
    if (number === 4) return call(client, agents.pauseAgent, { params })
    return call(client, agents.updateAgent, { params, body: { cron: `${number} 0 1 1 *` } })
  }
  const answers = await Promise.all(Array.from({ length: 8 }, (_, number) => change(number)))
  t.true(answers.every(({ status }) => status === 200))
  await Promise.all([one, other].map(({ services }) => services.schedules.settled()))
  // Whoever has told an older state last, and found that out, leaves it to the reconciler.
  await eventually(20, 'the schedule is in step', async () => {
    await one.services.scheduleSync.round()
    return (await scheduleOf(someone, agent)).inStep || undefined
  })
  const { wanted, schedule } = await one.services.schedules.read(agent.id)
  // The expression is 0 0 1 1 * at first; writing it again may be no change.
  t.true((schedule?.generation ?? 0) >= 8)
  t.is(schedule?.syncedGeneration, schedule?.generation)
  t.deepEqual(wanted && (await one.services.temporal.schedules.differences(wanted)), [])
  t.true((await temporal.describe(agent))?.state.paused)
})
