import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import * as notifications from '../../../../api/notifications.ts'
import * as schedules from '../../../../api/schedules.ts'
import { newId } from '../../../../src/ids.ts'
import { createRetention } from '../../../../src/runs/retention/retention.ts'
import { createSchedules } from '../../../../src/schedules/schedules.ts'
import { createScheduleSync } from '../../../../src/schedules/schedule-sync.ts'
import { fillStore } from '../../../api/hoarder.ts'
import { call } from '../../../helpers/client.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { agentOf, person, runOf } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { cancel, runsOf, spendAllBut, start } from '../../../helpers/runs.ts'
import { firesOf, scheduledAgent } from '../../../helpers/schedules.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

/** The present of all platforms of this file, which is why its tests follow one another. */
let now = new Date()
const clock = { now: () => now }
const env = { ACCESS_TOKEN_SECONDS: '3600' }
const idlePlatform = forWholeFile(test, 'ledger', (t) => startPlatform(t, { clock, env }))
const workingPlatform = forWholeFile(test, 'ledger, with a worker', (t) => startPlatform(t, { clock, worker: true }))

const at = (time: string): Date => new Date(`2026-05-04T${time}Z`)
const set = (time: string): void => void (now = at(time))
const pass = (minutes: number): void => void (now = new Date(now.getTime() + minutes * 60_000))

/** It is 10:00:30, and somebody is new here. */
function begin(platform: Platform) {
  set('10:00:30')
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
  const params = { agentId: agent.id }
  // It remembers when it last looked around, which is later than 10:00:30 by now.
  const scheduleSync = createScheduleSync(platform.services)
  const row = () => database('schedules').where(params).first()
  const runs = () => runsOf(someone, agent)

  /** A fire as the workflow reports it, under the present generation unless another is given. */
  const tick = async (time: string, given?: number, agentId = agent.id) =>
    fires.recordFire({
      agentId,
      generation: given ?? (await row()).generation,
      nominalAt: at(time),
      requestId: `cron/${agentId}-${time}`,
    })
  return {
    platform,
    someone,
    agent,
    database,
    row,
    runs,
    tick,
    /** The same, as of a time. */
    tickAt: (present: string, time: string) => {
      set(present)
      return tick(time)
    },
    round: () => scheduleSync.round(),
    ledger: async () => (await firesOf(someone, agent)).map(inShort),
    change: (body: { cron?: string; timeZone?: string; name?: string }) =>
      call(someone, agents.updateAgent, { params, body }),
    pause: () => call(someone, agents.pauseAgent, { params }),
    resume: () => call(someone, agents.resumeAgent, { params }),
    remove: () => call(someone, agents.deleteAgent, { params }),
    cancelAll: async () => {
      for (const { id, endedAt } of await runs()) if (endedAt === null) await cancel(someone, id)
    },
    told: async () =>
      (await call(someone, notifications.listNotifications, { query: { kind: 'schedule_missed' } })).body.items,
  }
}

const inShort = ({ at, outcome, reason }: { at: string; outcome: string; reason: string | null }): string =>
  [at.slice(11, 16), outcome, reason].filter(Boolean).join(' ')

// @promise fires
test.serial('a fire is carried out once, and skipped with its reason while a run is unfinished', async (t) => {
  const { platform, tick, tickAt, someone, agent, runs, ledger, cancelAll } = await open()
  set('10:01:01')
  t.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(() => tick('10:01:00'))), Array(5).fill('ran'))
  const [first, ...more] = await runs()
  t.deepEqual(more, [])
  t.like(first, { trigger: 'scheduled', status: 'queued', requestId: `cron/${agent.id}-10:01:00` })
  const { inspection } = platform.services.temporal
  await eventually(10, 'its queue is woken', async () => (await inspection.queue(agent.id)) ?? undefined)

  set('10:02:01')
  t.deepEqual(await Promise.all([1, 2, 3].map(() => tick('10:02:00'))), Array(3).fill('skipped'))
  const [, skipped] = await runs()
  t.like(skipped, { trigger: 'scheduled', status: 'skipped', reason: 'OVERLAP' })
  t.like(await firesOf(someone, agent), [
    { runId: first?.id },
    { runId: skipped?.id, message: 'The agent still had an unfinished run.' },
  ])

  await cancelAll()
  t.is(await tickAt('10:03:05', '10:03:00'), 'ran')
  t.is((await runs()).length, 3)
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 skipped OVERLAP', '10:03 ran'])
})

test.serial('every other reason not to carry out a fire is on record, and what is no fire is not', async (t) => {
  const { tick, tickAt, platform, someone, agent, runs, ledger, database, row, pause, round, told, ...of } =
    await open()
  t.is(await tickAt('10:06:01', '10:01:00'), 'missed')
  t.is(await tickAt('10:06:59', '10:02:00'), 'ran')
  t.is(await tick('10:00:00'), 'none', 'before the schedule was in force')
  t.is(await tick('10:03:30'), 'none', 'not at a whole minute')
  await of.cancelAll()
  await fillStore(platform, someone, 256 * 1024 ** 2)
  t.is(await tick('10:03:00'), 'skipped')
  await fillStore(platform, someone, 256 * 1024 ** 2 - 1)
  const [{ id: runId } = { id: '' }] = await runs()
  await spendAllBut(platform, runId, 0)
  t.is(await tick('10:04:00'), 'skipped')

  const { generation: former } = await row()
  await pause()
  set('10:07:00')
  await platform.services.schedules.settled()
  await database('schedules').where({ agentId: agent.id }).update({ checkedAt: new Date() })
  t.is(await tick('10:07:00', former), 'skipped', 'the present state fires at this time, too')
  t.is((await row()).checkedAt, null)
  t.is(await tick('10:07:00'), 'skipped')
  await round()
  t.deepEqual(await ledger(), [
    '10:01 missed LATE',
    '10:02 ran',
    '10:03 skipped NO_ROOM',
    '10:04 skipped NO_CREDITS',
    // Owed when it was paused.
    '10:05 skipped PAUSED',
    '10:06 skipped PAUSED',
    '10:07 skipped PAUSED',
  ])
  t.is((await runs()).length, 1)

  const poor = await scheduledAgent(someone, { name: 'Poor agent', cron: '* * * * *' })
  for (const minute of ['10:08', '10:09']) {
    set(`${minute}:01`)
    t.is(await tick(`${minute}:00`, 1, poor.id), 'skipped')
  }
  set('10:09:40')
  await round()
  set('10:11:00')
  await round()
  const [first, second, ...more] = (await told()).toSorted((a, b) => a.title.length - b.title.length)
  t.deepEqual(more, [])
  t.like(first, { subjectId: agent.id, title: 'A schedule missed 2 runs: agent “An agent”' })
  t.regex(first?.message ?? '', /from 2026-05-04 10:01 UTC to .* 10:04 UTC .*, 1 of them because you had no credits/)
  t.like(second, { subjectId: poor.id, title: 'A schedule missed 2 runs for lack of credits: agent “Poor agent”' })

  await of.remove()
  const manual = await agentOf(someone)
  for (const agentId of [agent.id, manual.id, newId()]) t.is(await tick('10:12:00', 1, agentId), 'gone')
  t.deepEqual(await database('schedule_fires').where({ nominalAt: at('10:12:00') }), [])
  t.deepEqual(await runsOf(someone, manual), [])

  // Whoever was told of one agent is told of others, and on the next day of the same one.
  const daily = await scheduledAgent(someone, { name: 'Daily agent', cron: '13 10 * * *' })
  const toldOfDaily = () => database('notifications').where({ kind: 'schedule_missed', subjectId: daily.id })
  for (const days of [1, 2]) {
    set('10:13:01')
    pass((days - 1) * 24 * 60)
    const fired = { agentId: daily.id, generation: 1, nominalAt: new Date(now.getTime() - 1000), requestId: 'daily' }
    t.is(await platform.services.fires.recordFire(fired), 'skipped')
    pass(1)
    await round()
    t.is((await toldOfDaily()).length, days)
  }
  pass(24 * 60 - 1)
  const [dueAt, requestedAt] = [new Date('2030-01-01'), now]
  await database('deletions').insert({ ownerId: daily.ownerId, requestedAt, dueAt, nextAt: dueAt })
  const last = { agentId: daily.id, nominalAt: new Date(now.getTime() - 1000) }
  t.is(await platform.services.fires.recordFire({ ...last, generation: 1, requestId: 'daily' }), 'skipped')
  t.like(await database('schedule_fires').where(last).first(), { reason: 'NO_TIER', runId: null })
})

// @promise fires
test.serial('a fire that nothing reports is recorded as missed, and its owner is told', async (t) => {
  const { tick, tickAt, agent, ledger, round, row, database, told } = await open()
  const roundAt = async (time: string) => {
    set(time)
    await round()
  }
  await roundAt('10:06:40')
  t.deepEqual(await ledger(), [])
  // Out of order, as after an outage.
  t.is(await tickAt('10:08:01', '10:05:00'), 'ran')
  t.is(await tick('10:04:00'), 'skipped')
  await round()
  const missed = ['10:01 missed NOT_FIRED', '10:02 missed NOT_FIRED']
  t.deepEqual(await ledger(), [...missed, '10:04 skipped OVERLAP', '10:05 ran'])
  t.is(await tick('10:01:00'), 'missed', 'a tick that comes after all does not change the record')
  t.deepEqual(await told(), [])
  t.is(await tick('10:03:00'), 'missed')
  t.deepEqual((await row()).nextFireAt, at('10:06:00'))

  await roundAt('10:08:40')
  const [telling, ...more] = await told()
  t.deepEqual(more, [])
  t.like(telling, { consolePage: `/console/agents/${agent.id}`, title: 'A schedule missed 3 runs: agent “An agent”' })
  const tellings: string[] = []
  database.on('query', ({ sql }: { sql: string }) => {
    if (sql.includes('insert into notifications')) tellings.push(sql)
  })
  for (const time of ['10:30:00', '10:31:00', '10:31:40']) await roundAt(time)
  t.is((await told()).length, 1)
  t.deepEqual(tellings, [], 'who was told today is left alone')
  t.is((await ledger()).length, 25)

  await roundAt('20:00:00')
  t.is((await database('schedule_fires')).length, 525)
  await round()
  t.is((await database('schedule_fires')).length, 594)
  t.deepEqual((await row()).nextFireAt, at('19:55:00'))
})

test.serial('fires of a paused agent are skipped at once, those of a former expression closed', async (t) => {
  const { tick, tickAt, ledger, round, row, change, pause, resume } = await open()
  await pause()
  set('10:02:30')
  await round()
  t.deepEqual(await ledger(), ['10:01 skipped PAUSED', '10:02 skipped PAUSED'])
  set('10:04:30')
  await resume()
  t.deepEqual((await ledger()).slice(2), ['10:03 skipped PAUSED', '10:04 skipped PAUSED'])
  set('10:05:30')
  const { generation: former } = await row()
  await change({ cron: '*/10 * * * *' })
  t.is(await tick('10:05:00', former), 'missed')
  t.is(await tick('10:06:00', former), 'stale')
  t.is(await tick('10:06:00'), 'none')
  t.is(await tickAt('10:10:01', '10:10:00'), 'ran')
  // Europe/London has summer time in May: what matches there is another fire in UTC.
  await change({ cron: '0 12 * * *', timeZone: 'Europe/London' })
  t.is(await tickAt('11:00:02', '12:00:00'), 'none')
  t.is(await tick('11:00:00'), 'skipped')
  t.deepEqual((await ledger()).slice(4), ['10:05 missed CHANGED', '10:10 ran', '11:00 skipped OVERLAP'])
})

// @promise cron
test.serial('a change at the very time of a fire closes it only if the new expression does not have it', async (t) => {
  const { tick, tickAt, ledger, round, row, database, told, change, remove, cancelAll } = await open()
  const changeAt = async (time: string, cron: string) => {
    set(time)
    await change({ cron })
  }
  const nextFireAt = async () => (await row()).nextFireAt
  const { generation: former } = await row()
  await changeAt('10:01:00.020', '*/1 10 * * *')
  await changeAt('10:01:00.100', '* 10,11 * * *')
  t.deepEqual(await ledger(), [])
  t.like(await row(), { generation: 3, nextFireAt: at('10:01:00') })
  t.is(await tick('10:01:00', former), 'ran', 'Temporal need not fire it again for the new state')
  t.deepEqual(await nextFireAt(), at('10:02:00'))
  await cancelAll()

  // Three are owed: one is of the old expression only.
  await changeAt('10:04:30', '*/2 * * * *')
  t.deepEqual(await ledger(), ['10:01 ran', '10:03 missed CHANGED'])
  t.deepEqual(await nextFireAt(), at('10:02:00'))
  t.is(await tick('10:04:00'), 'ran')
  await changeAt('10:04:40', '* * * * *')
  t.is(await tick('10:02:00'), 'skipped')
  t.deepEqual(await nextFireAt(), at('10:05:00'))
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 skipped OVERLAP', '10:03 missed CHANGED', '10:04 ran'])

  await changeAt('10:08:10', '*/2 * * * *')
  await changeAt('10:08:20', '* * * * *')
  t.is(await tick('10:07:00'), 'missed', 'of neither state when it was due')
  await changeAt('10:11:00', '*/10 * * * *')
  set('10:16:10')
  await round()
  t.deepEqual((await ledger()).slice(4), [
    '10:05 missed CHANGED',
    '10:06 missed NOT_FIRED',
    '10:07 missed CHANGED',
    '10:08 missed CHANGED',
    '10:09 missed CHANGED',
    '10:10 missed NOT_FIRED',
    '10:11 missed CHANGED',
  ])
  t.is(await tickAt('10:20:00', '10:20:00'), 'skipped')
  await remove()
  t.is((await database('schedule_fires')).length, 12)
  t.is(await nextFireAt(), null)
  set('10:31:00')
  await round()
  t.is((await told()).length, 1)
})

test.serial('a pause at the very time of a fire leaves it open, in case the agent goes on', async (t) => {
  const { tick, ledger, round, told, ...agent } = await open()
  const [pauseAt, resumeAt] = [agent.pause, agent.resume].map((work) => async (time: string) => {
    set(time)
    await work()
  }) as [(time: string) => Promise<void>, (time: string) => Promise<void>]
  await pauseAt('10:01:00.020')
  await resumeAt('10:01:00.040')
  t.deepEqual(await ledger(), [])
  t.is(await tick('10:01:00'), 'ran')
  await pauseAt('10:02:00.020')
  t.deepEqual(await ledger(), ['10:01 ran'])
  await round()
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 skipped PAUSED'])
  await agent.resume()
  // While nobody fills the ledger: what comes due during the pause is not made up for.
  await pauseAt('10:03:00.020')
  await resumeAt('10:05:30')
  t.deepEqual((await ledger()).slice(2), ['10:04 skipped PAUSED', '10:05 skipped PAUSED'])
  t.is(await tick('10:03:00'), 'skipped')
  t.deepEqual((await ledger())[2], '10:03 skipped OVERLAP')
  set('10:06:20')
  await round()
  t.deepEqual(await told(), [], 'of what owners do themselves they are not told')
})

test.serial('a fire of a time that has not come starts nothing, and takes place when it comes', async (t) => {
  const { tick, tickAt, runs, ledger, row, cancelAll } = await open()
  const before = await row()
  t.is(await tick('10:02:00'), 'none')
  t.is(await tick('11:00:00', before.generation - 1), 'stale')
  t.deepEqual([await runs(), await ledger()], [[], []])
  t.like(await row(), { nextFireAt: before.nextFireAt, recordedUntil: before.recordedUntil, owed: [] })

  t.is(await tick('10:01:00'), 'ran', 'half a minute ahead is what the clocks of two machines may differ by')
  await cancelAll()
  t.is(await tickAt('10:00:59.999', '10:02:00'), 'none')
  t.is(await tickAt('10:01:00', '10:02:00'), 'ran')
  t.deepEqual(await ledger(), ['10:01 ran', '10:02 ran'])
})

test.serial('fires, changes and the filler at the same instant neither lose a fire nor run one twice', async (t) => {
  const { tick, platform, someone, agent, runs, round, change, pause, resume, cancelAll } = await open()
  const zones = ['UTC', 'Europe/Berlin']
  for (let minute = 1; minute <= 6; minute += 1) {
    pass(1)
    const time = `10:0${minute}:00`
    const update = () => change({ timeZone: zones[minute % 2] ?? 'UTC', name: `Agent ${minute}` })
    const works = [() => tick(time), update, () => tick(time), round, pause, resume, () => start(someone, agent)]
    await Promise.all(works.map((work) => work()))
    await cancelAll()
  }
  pass(8)
  await round()
  const fires = await firesOf(someone, agent)
  const times = fires.map((fire) => fire.at.slice(11, 16))
  t.deepEqual(times, [...new Set(times)])
  t.deepEqual(times.slice(0, 6), ['10:01', '10:02', '10:03', '10:04', '10:05', '10:06'])
  const scheduled = (await runs()).filter(({ trigger }) => trigger === 'scheduled')
  const named = fires.flatMap(({ runId }) => (runId === null ? [] : [runId]))
  t.deepEqual(scheduled.map(({ id }) => id).toSorted(), named.toSorted())
  for (const { outcome, runId } of fires) {
    if (outcome === 'ran') t.not((await runOf(someone, runId ?? '')).status, 'skipped')
  }
  t.false(platform.logs.some((line) => line.includes('deadlock')))
})

test.serial('the ledger is kept for a year, and names a run only while that is kept', async (t) => {
  const { tickAt, runs, database, platform, someone, agent } = await open()
  await tickAt('10:01:01', '10:01:00')
  await tickAt('10:02:01', '10:02:00')
  const [run] = await runs()
  const later = { now: () => new Date('2026-08-05T10:00:00Z') }
  await createRetention({ ...platform.services, clock: later }).purge(new AbortController().signal)
  const { body } = await call(someone, schedules.getSchedule, { params: { agentId: agent.id } })
  for (const fires of [await firesOf(someone, agent), body.last.toReversed()]) {
    t.deepEqual(
      fires.map((fire) => [inShort(fire), fire.runId]),
      [
        ['10:01 ran', run?.id],
        ['10:02 skipped OVERLAP', null],
      ],
      'the run that has not ended is kept',
    )
  }
  for (const [days, kept] of [
    [364, 2],
    [2, 0],
  ] as const) {
    pass(days * 24 * 60)
    await platform.services.scheduleSync.purge()
    t.is((await database('schedule_fires')).length, kept)
  }
})

test.serial(
  'of what is in step Temporal is asked for the fires that it has lost, within the time for catching up',
  async (t) => {
    const { platform, agent, database, pause } = await open()
    const { services } = platform
    const inStep = () => database('schedules').update({ syncedGeneration: database.ref('generation'), checkedAt: null })
    const asked: string[] = []
    const backfill = async (agentId: string, from: Date, until: Date) => {
      t.is(agentId, agent.id)
      asked.push([from, until].map((at) => at.toISOString().slice(11, 19)).join(' '))
    }
    const inTemporal = {
      ...services.temporal.schedules,
      backfill,
      differences: async () => [],
      listAgents: async () => [],
    }
    const temporal = { ...services.temporal, isReachable: async () => true, schedules: inTemporal }
    const own = createSchedules({ ...services, temporal })
    const sync = createScheduleSync({ ...services, temporal, schedules: own })
    for (const [time, fires] of [
      ['10:00:50', []],
      ['10:03:30', ['10:00:59 10:03:30']],
      ['10:05:30', ['10:00:59 10:05:30']],
      ['10:06:30', ['10:01:29 10:06:30']],
    ] as const) {
      set(time)
      await services.schedules.settled()
      await inStep()
      await sync.round()
      t.deepEqual(asked.splice(0), fires, time)
      await sync.round()
      t.deepEqual(asked, [], 'it was looked at a moment ago')
    }
    await pause()
    await services.schedules.settled()
    const { wanted } = await own.read(agent.id)
    set('10:08:30')
    await own.catchUp(wanted!)
    t.deepEqual(asked, [], 'what is paused has none')
  },
)

test.serial(
  'of the schedules in Temporal those are removed whose agents have none, and one that fails keeps no other',
  async (t) => {
    const { platform, someone, agent, database } = await open()
    const { services } = platform
    const [deleted, manual] = [await scheduledAgent(someone), await agentOf(someone)]
    await call(someone, agents.deleteAgent, { params: { agentId: deleted.id } })
    const other = await scheduledAgent(someone)
    await services.schedules.settled()
    await database('schedules').update({ syncedGeneration: database.ref('generation'), checkedAt: now })
    const listAgents = async () => [newId(), agent.id, deleted.id, manual.id, other.id]
    const temporal = {
      ...services.temporal,
      isReachable: async () => true,
      schedules: { ...services.temporal.schedules, listAgents },
    }
    const synced: string[] = []
    const sync = async (agentId: string) => {
      synced.push(agentId)
      throw new Error('it cannot be removed now')
    }
    await createScheduleSync({ ...services, temporal, schedules: { ...services.schedules, sync } }).round()
    t.deepEqual(synced.toSorted(), [deleted.id, manual.id].toSorted())
  },
)

test.serial('what is open after a change is fired again by Temporal', async (t) => {
  const platform = await workingPlatform()
  const someone = await begin(platform)
  const agent = await scheduledAgent(someone, { cron: '* * * * *' })
  await platform.services.schedules.settled()
  set('10:01:00.020')
  await call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { cron: '*/1 10 * * *' } })
  // Temporal's own clock may make it fire meanwhile, too.
  const fire = await eventually(45, 'the fire is on record', async () =>
    (await firesOf(someone, agent)).find((one) => one.at === '2026-05-04T10:01:00.000Z'),
  )
  t.is(fire.outcome, 'ran')
})
