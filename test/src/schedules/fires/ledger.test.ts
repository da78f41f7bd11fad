import { fillStore } from '../../../api/hoarder.ts'
import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as notifications from '../../../../api/notifications.ts'
import * as schedules from '../../../../api/schedules.ts'
import { createRetention } from '../../../../src/runs/retention/retention.ts'
import { createScheduleSync } from '../../../../src/schedules/sync.ts'
import { newId } from '../../../../src/ids.ts'
import { call } from '../../../helpers/client.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { agentOf, person, runOf } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { cancel, runsOf, spendAllBut, start } from '../../../helpers/runs.ts'
import { firesOf, scheduledAgent } from '../../../helpers/schedules.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

const minutes = (count: number): number => count * 60_000

/** The present of all platforms of this file, which is why its tests follow one another. */
let now = new Date()
const clock = { now: () => now }
const env = { ACCESS_TOKEN_SECONDS: '3600' }
const idlePlatform = forWholeFile(test, 'ledger', (t) => startPlatform(t, { clock, env }))
const workingPlatform = forWholeFile(test, 'ledger, with a worker', (t) => startPlatform(t, { clock, worker: true }))

/** It is 10:00:30, and somebody is new here. */
function begin(platform: Platform) {
  now = new Date('2026-05-04T10:00:30Z')
  return person(platform)
}

/** A platform without a worker whose time is the test's, and its only agent: it fires every minute, made at 10:00:30. */
async function open() {
  const platform = await idlePlatform()
  await platform.services.schedules.settled()
  await platform.services.database.raw('truncate owners, users cascade')
  const someone = await begin(platform)
  const agent = await scheduledAgent(someone, { cron: '* * * * *' })
  const { fires, database } = platform.services
  // It remembers when it last looked around, which is later than 10:00:30 by now.
  const scheduleSync = createScheduleSync(platform.services)
  const generation = async () => {
    const row = await database('schedules').where({ agentId: agent.id }).first<{ generation: number }>('generation')
    return row.generation
  }
  return {
    platform,
    someone,
    agent,
    database,
    generation,
    set: (time: string) => void (now = new Date(`2026-05-04T${time}Z`)),
    pass: (ms: number) => void (now = new Date(now.getTime() + ms)),
    /** A fire as the workflow reports it, under the present generation unless another is given. */
    tick: async (time: string, given?: number, agentId = agent.id) =>
      fires.recordFire({
        agentId,
        generation: given ?? (await generation()),
        nominalAt: new Date(`2026-05-04T${time}Z`),
        requestId: `cron/${agentId}-${time}`,
      }),
    round: () => scheduleSync.round(),
    ledger: async () => (await firesOf(someone, agent)).map(inShort),
    told: async () =>
      (await call(someone, notifications.listNotifications, { query: { kind: 'schedule_missed' } })).body.items,
  }
}

const inShort = ({ at, outcome, reason }: { at: string; outcome: string; reason: string | null }): string =>
  [at.slice(11, 16), outcome, reason].filter(Boolean).join(' ')

// @promise fires
test.serial('a fire is carried out once, and skipped with its reason while a run is unfinished', async (t) => {
  const { tick, set, someone, agent, ledger } = await open()
  set('10:01:01')
  t.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(() => tick('10:01:00'))), Array(5).fill('ran'))
  const [first, ...more] = await runsOf(someone, agent)
  t.deepEqual(more, [])
  t.like(first, { trigger: 'scheduled', status: 'queued', requestId: `cron/${agent.id}-10:01:00` })

  set('10:02:01')
  t.deepEqual(await Promise.all([1, 2, 3].map(() => tick('10:02:00'))), Array(3).fill('skipped'))
  const [, skipped] = await runsOf(someone, agent)
  t.like(skipped, { trigger: 'scheduled', status: 'skipped', reason: 'OVERLAP' })
  const fires = await firesOf(someone, agent)
  t.is(fires[0]?.runId, first?.id)
  t.is(fires[1]?.runId, skipped?.id)
  t.is(fires[1]?.message, 'The agent still had an unfinished run.')

  await cancel(someone, first?.id ?? '')
  set('10:03:05')
  t.is(await tick('10:03:00'), 'ran')
  t.is((await runsOf(someone, agent)).length, 3)
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 skipped OVERLAP', '10:03 ran'])
})

test.serial('a fire of an owner whose results fill the store is skipped, until there is room', async (t) => {
  const { tick, set, platform, someone, ledger } = await open()
  set('10:01:01')
  await fillStore(platform, someone, 256 * 1024 ** 2)
  t.is(await tick('10:01:00'), 'skipped')
  await fillStore(platform, someone, 256 * 1024 ** 2 - 1)
  set('10:02:01')
  t.is(await tick('10:02:00'), 'ran')
  t.deepEqual(await ledger(), ['10:01 skipped NO_ROOM', '10:02 ran'])
})

test.serial('every other reason not to carry out a fire is on record, and what is no fire is not', async (t) => {
  const { tick, set, platform, someone, agent, ledger, database, generation, round, told } = await open()
  set('10:06:01')
  t.is(await tick('10:01:00'), 'missed')
  set('10:06:59')
  t.is(await tick('10:02:00'), 'ran')
  const [run] = await runsOf(someone, agent)
  t.is(await tick('10:00:00'), 'none', 'before the schedule was in force')
  t.is(await tick('10:03:30'), 'none', 'not at a whole minute')
  await cancel(someone, run?.id ?? '')
  await spendAllBut(platform, run?.id ?? '', 0)
  t.is(await tick('10:03:00'), 'skipped')

  const former = await generation()
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  set('10:07:00')
  await platform.services.schedules.settled()
  await database('schedules').where({ agentId: agent.id }).update({ checkedAt: new Date() })
  t.is(await tick('10:07:00', former), 'skipped', 'the present state fires at this time, too')
  t.is((await database('schedules').where({ agentId: agent.id }).first()).checkedAt, null)
  t.is(await tick('10:07:00'), 'skipped')
  await round()
  t.deepEqual(await ledger(), [
    '10:01 missed LATE',
    '10:02 ran',
    '10:03 skipped NO_CREDITS',
    // Owed when it was paused.
    '10:04 skipped PAUSED',
    '10:05 skipped PAUSED',
    '10:06 skipped PAUSED',
    '10:07 skipped PAUSED',
  ])
  t.is((await runsOf(someone, agent)).length, 1)

  const poor = await scheduledAgent(someone, { name: 'Poor agent', cron: '* * * * *' })
  set('10:08:01')
  t.is(await tick('10:08:00', 1, poor.id), 'skipped')
  set('10:09:01')
  t.is(await tick('10:09:00', 1, poor.id), 'skipped')
  set('10:09:40')
  await round()
  const [first, second, ...more] = (await told()).toSorted((a, b) => a.title.length - b.title.length)
  t.deepEqual(more, [])
  t.like(first, { subjectId: agent.id, title: 'A schedule missed 2 fires: agent “An agent”' })
  t.regex(
    first?.message ?? '',
    /from 2026-05-04 10:01 UTC to 2026-05-04 10:03 UTC .*, 1 of them because your credits were/,
  )
  t.like(second, { subjectId: poor.id, title: 'A schedule missed 2 fires for lack of credits: agent “Poor agent”' })
  t.regex(
    second?.message ?? '',
    /10:09 UTC of the agent “Poor agent” did not take place because your credits were used up\./,
  )
  set('10:11:00')
  await round()
  t.is((await told()).length, 2)

  await call(someone, agents.deleteAgent, { params: { agentId: agent.id } })
  t.is(await tick('10:12:00'), 'gone')
  const manual = await agentOf(someone)
  t.is(await tick('10:08:00', 1, manual.id), 'gone')
  t.is(await tick('10:08:00', 1, newId()), 'gone')
  t.is((await database('schedule_fires').where('nominalAt', '>', new Date('2026-05-04T10:11:30Z'))).length, 0)
  t.is((await runsOf(someone, manual)).length, 0)
})

// @promise fires
test.serial('a fire that nothing reports is recorded as missed, and its owner is told', async (t) => {
  const { tick, set, agent, ledger, round, database, told } = await open()
  set('10:06:40')
  await round()
  t.deepEqual(await ledger(), [])
  set('10:08:01')
  // Out of order, as after an outage.
  t.is(await tick('10:05:00'), 'ran')
  t.is(await tick('10:04:00'), 'skipped')
  await round()
  const missed = ['10:01 missed NOT_FIRED', '10:02 missed NOT_FIRED']
  t.deepEqual(await ledger(), [...missed, '10:04 skipped OVERLAP', '10:05 ran'])
  t.is(await tick('10:01:00'), 'missed', 'a tick that comes after all does not change the record')
  t.deepEqual(await told(), [])
  t.is(await tick('10:03:00'), 'missed')
  const row = () => database('schedules').where({ agentId: agent.id }).first()
  t.deepEqual((await row()).nextFireAt, new Date('2026-05-04T10:06:00Z'))

  set('10:08:40')
  await round()
  const [telling, ...more] = await told()
  t.deepEqual(more, [])
  t.like(telling, { subjectId: agent.id, title: 'A schedule missed 3 fires: agent “An agent”' })
  t.regex(telling?.message ?? '', /3 fires from 2026-05-04 10:01 UTC to 2026-05-04 10:03 UTC/)
  const tellings: string[] = []
  database.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('insert into notifications')) tellings.push(sql)
  })
  set('10:30:00')
  await round()
  set('10:31:00')
  await round()
  set('10:31:40')
  await round()
  t.is((await told()).length, 1)
  t.deepEqual(tellings, [], 'who was told today is left alone')
  t.is((await ledger()).length, 25)

  set('20:00:00')
  await round()
  t.is((await database('schedule_fires')).length, 525)
  await round()
  t.is((await database('schedule_fires')).length, 594)
  t.deepEqual((await row()).nextFireAt, new Date('2026-05-04T19:55:00Z'))
})

test.serial('fires of a paused agent are skipped at once, those of a former expression closed', async (t) => {
  const { tick, set, someone, agent, ledger, round, generation } = await open()
  const params = { agentId: agent.id }
  await call(someone, agents.pauseAgent, { params })
  set('10:02:30')
  await round()
  t.deepEqual(await ledger(), ['10:01 skipped PAUSED', '10:02 skipped PAUSED'])
  set('10:04:30')
  await call(someone, agents.resumeAgent, { params })
  t.deepEqual((await ledger()).slice(2), ['10:03 skipped PAUSED', '10:04 skipped PAUSED'])
  set('10:05:30')
  const former = await generation()
  await call(someone, agents.updateAgent, { params, body: { cron: '*/10 * * * *' } })
  t.is(await tick('10:05:00', former), 'missed')
  t.is(await tick('10:06:00', former), 'stale')
  t.is(await tick('10:06:00'), 'none')
  set('10:10:01')
  t.is(await tick('10:10:00'), 'ran')
  // Europe/London has summer time in May: what matches there is another fire in UTC.
  await call(someone, agents.updateAgent, { params, body: { cron: '0 12 * * *', timeZone: 'Europe/London' } })
  set('11:00:02')
  t.is(await tick('12:00:00'), 'none')
  t.is(await tick('11:00:00'), 'skipped')
  t.deepEqual((await ledger()).slice(4), ['10:05 missed CHANGED', '10:10 ran', '11:00 skipped OVERLAP'])
})

// @promise cron
test.serial('a change at the very time of a fire closes it only if the new expression does not have it', async (t) => {
  const { tick, set, someone, agent, ledger, round, generation, database, told } = await open()
  const params = { agentId: agent.id }
  const change = async (cron: string) => call(someone, agents.updateAgent, { params, body: { cron } })
  const row = () => database('schedules').where({ agentId: agent.id }).first()
  const former = await generation()
  set('10:01:00.020')
  await change('*/1 10 * * *')
  set('10:01:00.100')
  await change('* 10,11 * * *')
  t.deepEqual(await ledger(), [])
  t.like(await row(), { generation: 3, nextFireAt: new Date('2026-05-04T10:01:00Z') })
  t.is(await tick('10:01:00', former), 'ran', 'Temporal need not fire it again for the new state')
  t.deepEqual((await row()).nextFireAt, new Date('2026-05-04T10:02:00Z'))
  await cancel(someone, (await runsOf(someone, agent))[0]?.id ?? '')

  // Three are owed: one is of the old expression only.
  set('10:04:30')
  await change('*/2 * * * *')
  t.deepEqual(await ledger(), ['10:01 ran', '10:03 missed CHANGED'])
  t.deepEqual((await row()).nextFireAt, new Date('2026-05-04T10:02:00Z'))
  t.is(await tick('10:04:00'), 'ran')
  set('10:04:40')
  await change('* * * * *')
  t.is(await tick('10:02:00'), 'skipped')
  t.deepEqual((await row()).nextFireAt, new Date('2026-05-04T10:05:00Z'))
  const recorded = ['10:01 ran', '10:02 skipped OVERLAP', '10:03 missed CHANGED', '10:04 ran']
  t.deepEqual(await ledger(), recorded)

  set('10:08:10')
  await change('*/2 * * * *')
  set('10:08:20')
  await change('* * * * *')
  t.is(await tick('10:07:00'), 'missed', 'of neither state when it was due')
  set('10:30:00')
  await change('*/10 * * * *')
  await round()
  t.deepEqual((await ledger()).slice(4, 10), [
    '10:05 missed CHANGED',
    '10:06 missed NOT_FIRED',
    '10:07 missed CHANGED',
    '10:08 missed NOT_FIRED',
    '10:09 missed NOT_FIRED',
    '10:10 missed NOT_FIRED',
  ])
  t.deepEqual((await ledger()).slice(-6), [
    '10:24 missed NOT_FIRED',
    '10:25 missed NOT_FIRED',
    ...[26, 27, 28, 29].map((minute) => `10:${minute} missed CHANGED`),
  ])
  t.is(await tick('10:30:00'), 'skipped')
  await call(someone, agents.deleteAgent, { params })
  t.is((await database('schedule_fires')).length, 30)
  t.is((await row()).nextFireAt, null)
  set('10:31:00')
  await round()
  t.is((await told()).length, 1)
})

test.serial('a pause at the very time of a fire leaves it open, in case the agent goes on', async (t) => {
  const { tick, set, someone, agent, ledger, round, told } = await open()
  const params = { agentId: agent.id }
  const pause = () => call(someone, agents.pauseAgent, { params })
  const resume = () => call(someone, agents.resumeAgent, { params })
  set('10:01:00.020')
  await pause()
  set('10:01:00.040')
  await resume()
  t.deepEqual(await ledger(), [])
  t.is(await tick('10:01:00'), 'ran')
  set('10:02:00.020')
  await pause()
  t.deepEqual(await ledger(), ['10:01 ran'])
  await round()
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 skipped PAUSED'])
  await resume()
  // While nobody fills the ledger: what comes due during the pause is not made up for.
  set('10:03:00.020')
  await pause()
  set('10:05:30')
  await resume()
  t.deepEqual((await ledger()).slice(2), ['10:04 skipped PAUSED', '10:05 skipped PAUSED'])
  t.is(await tick('10:03:00'), 'skipped')
  t.deepEqual((await ledger())[2], '10:03 skipped OVERLAP')
  set('10:06:20')
  await round()
  t.deepEqual(await told(), [], 'of what owners do themselves they are not told')
})

test.serial('a fire of a time that has not come starts nothing, and takes place when it comes', async (t) => {
  const { tick, set, someone, agent, ledger, database, generation } = await open()
  const row = () => database('schedules').where({ agentId: agent.id }).first()
  const before = await row()
  t.is(await tick('10:02:00'), 'none')
  t.is(await tick('11:00:00'), 'none')
  t.is(await tick('11:00:00', (await generation()) - 1), 'stale')
  t.deepEqual(await runsOf(someone, agent), [])
  t.deepEqual(await ledger(), [])
  t.like(await row(), { nextFireAt: before.nextFireAt, recordedUntil: before.recordedUntil, owed: [] })

  t.is(await tick('10:01:00'), 'ran', 'half a minute ahead is what the clocks of two machines may differ by')
  await cancel(someone, (await runsOf(someone, agent))[0]?.id ?? '')
  set('10:00:59.999')
  t.is(await tick('10:02:00'), 'none')
  set('10:01:00')
  t.is(await tick('10:02:00'), 'ran')
  set('11:00:00')
  t.is(await tick('11:00:00'), 'skipped')
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 ran', '11:00 skipped OVERLAP'])
})

test.serial('fires, changes and the filler at the same instant neither lose a fire nor run one twice', async (t) => {
  const { tick, pass, platform, someone, agent, round } = await open()
  const params = { agentId: agent.id }
  const zones = ['UTC', 'Europe/Berlin']
  for (let minute = 1; minute <= 6; minute += 1) {
    pass(minutes(1))
    const time = `10:${String(minute).padStart(2, '0')}:00`
    const timeZone = zones[minute % 2] ?? 'UTC'
    const update = () => call(someone, agents.updateAgent, { params, body: { timeZone, name: `Agent ${minute}` } })
    const pause = () => call(someone, agents.pauseAgent, { params })
    const resume = () => call(someone, agents.resumeAgent, { params })
    const works = [
      () => tick(time),
      update,
      () => tick(time),
      () => round(),
      pause,
      resume,
      () => start(someone, agent),
    ]
    await Promise.all(works.map((work) => work()))
    for (const { id, endedAt } of await runsOf(someone, agent)) if (!endedAt) await cancel(someone, id)
  }
  pass(minutes(8))
  await round()
  const fires = await firesOf(someone, agent)
  const times = fires.map(({ at }) => at.slice(11, 16))
  t.deepEqual(times, [...new Set(times)])
  t.deepEqual(
    times.slice(0, 6),
    Array.from({ length: 6 }, (_, index) => `10:${String(index + 1).padStart(2, '0')}`),
  )
  const scheduled = (await runsOf(someone, agent)).filter(({ trigger }) => trigger === 'scheduled')
  const named = fires.flatMap(({ runId }) => (runId === null ? [] : [runId]))
  t.deepEqual(scheduled.map(({ id }) => id).toSorted(), named.toSorted())
  for (const { outcome, runId } of fires) {
    if (outcome === 'ran') t.not((await runOf(someone, runId ?? '')).status, 'skipped')
  }
  t.false(platform.logs.some((line) => line.includes('deadlock')))
})

test.serial('a fire is shown when its run is not kept any more, and names a run only while there is one', async (t) => {
  const { tick, set, ledger, platform, someone, agent } = await open()
  for (const [at, time] of [
    ['10:01:01', '10:01:00'],
    ['10:02:01', '10:02:00'],
  ] as const) {
    set(at)
    await tick(time)
  }
  const [run, skipped] = await runsOf(someone, agent)
  t.deepEqual(
    (await firesOf(someone, agent)).map(({ runId }) => runId),
    [run?.id, skipped?.id],
  )
  const later = { now: () => new Date('2026-08-05T10:00:00Z') }
  await createRetention({ ...platform.services, clock: later }).purge(new AbortController().signal)
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 skipped OVERLAP'])
  const { body } = await call(someone, schedules.getSchedule, { params: { agentId: agent.id } })
  for (const fires of [await firesOf(someone, agent), body.last.toReversed()]) {
    t.deepEqual(
      fires.map(({ runId }) => runId),
      [run?.id, null],
      'the run that has not ended is kept',
    )
  }
})

test.serial('the ledger is kept for a year', async (t) => {
  const { tick, set, pass, database, platform } = await open()
  set('10:01:01')
  await tick('10:01:00')
  pass(364 * 24 * minutes(60))
  await platform.services.scheduleSync.purge()
  t.is((await database('schedule_fires')).length, 1)
  pass(2 * 24 * minutes(60))
  await platform.services.scheduleSync.purge()
  t.is((await database('schedule_fires')).length, 0)
})

test.serial('what is open after a change is fired again by Temporal', async (t) => {
  const platform = await workingPlatform()
  const someone = await begin(platform)
  const agent = await scheduledAgent(someone, { cron: '* * * * *' })
  await platform.services.schedules.settled()
  now = new Date('2026-05-04T10:01:00.020Z')
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { cron: '*/1 10 * * *' } })
  // Temporal's own clock may make it fire meanwhile, too.
  const at = '2026-05-04T10:01:00.000Z'
  const fire = await eventually(15, 'the fire is on record', async () =>
    (await firesOf(someone, agent)).find((one) => one.at === at),
  )
  t.is(fire.outcome, 'ran')
})
