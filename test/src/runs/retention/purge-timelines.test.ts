// @promise retention
import test, { type ExecutionContext } from 'ava'
import { v7 } from 'uuid'
import { createDatabase, type Database } from '../../../../src/database/database.ts'
import { newId } from '../../../../src/ids.ts'
import { createLogger } from '../../../../src/logger.ts'
import { ensurePartitions, listPartitions, partitionedTables } from '../../../../src/runs/retention/partitions.ts'
import { createRetention } from '../../../../src/runs/retention/retention.ts'
import { createPurgeSessions } from '../../../../src/sessions/purge-sessions.ts'
import { createTestDatabase } from '../../../helpers/database.ts'
import { hold } from '../../../helpers/hold.ts'
import { agentIn } from '../agent-in.ts'

const day = 86_400_000

/** A Wednesday, 200 days ago at least; its week is over for longer than timelines wait for the last runs. */
const longAgo = new Date('2026-01-14T12:00:00Z')

async function open(t: ExecutionContext) {
  const database = createDatabase(
    { database: { url: (await createTestDatabase(t)).url, pool: 4 } },
    createLogger('silent', 'test'),
  )
  t.teardown(() => database.destroy())
  const agent = await agentIn(database)
  const context = { database, clock: { now: () => new Date() }, config: { runRetentionDays: 90 } }
  const retention = createRetention({ ...context, logger: createLogger('silent', 'test') })
  const purgeSessions = createPurgeSessions({ ...context, logger: createLogger('silent', 'test') })
  let sequence = 0
  /** A run with one row of each kind in its timeline, accepted at the given time; it has ended then, or waits. */
  async function run(at: Date, ended = true): Promise<string> {
    const id = v7({ msecs: at.getTime() })
    sequence += 1
    const status = ended ? { status: 'completed', endedAt: at } : { status: 'queued' }
    const times = { acceptedAt: at, progressedAt: at }
    const run = { id, agentId: agent.id, ownerId: agent.ownerId, sequence, trigger: 'manual', requestId: 'r' }
    await database('runs').insert({ ...run, ...times, ...status })
    await database('run_inputs').insert({ runId: id, payload: '{}' })
    await database('run_events').insert({ runId: id, number: 1, kind: 'accepted', at, data: '{}' })
    await fillSteps(database, id, at)
    return id
  }
  /** An answer of a chat with a step and a call, given at that time in a session that ends then, or years later. */
  async function answer(at: Date, isOld = true): Promise<string> {
    const id = v7({ msecs: at.getTime() })
    const sessionId = newId()
    const times = { createdAt: at, usedAt: at, expiresAt: isOld ? at : new Date('2100-01-01') }
    const session = { id: sessionId, ownerId: agent.ownerId, lastNumber: 2, tokenHash: id, onDisconnect: 'cancel' }
    await database('sessions').insert({ ...session, ...times })
    const ended = { status: 'completed', onDisconnect: 'cancel', model: 'demo', createdAt: at, endedAt: at }
    const answered = { sessionId, number: 2, id, ownerId: agent.ownerId, messageId: newId() }
    await database('chat_answers').insert({ ...answered, ...ended })
    await fillSteps(database, id, at)
    return id
  }
  const endSessions = () => database('sessions').update({ expiresAt: longAgo })
  async function purge(): Promise<void> {
    await retention.purge(new AbortController().signal)
    await purgeSessions(new AbortController().signal)
    await retention.purgeTimelines(new AbortController().signal)
  }
  return { database, run, answer, endSessions, purge }
}

async function fillSteps(database: Database, subjectId: string, at: Date): Promise<void> {
  const counts = { inputTokens: 0, outputTokens: 0, credits: 1, latencyMs: 1 }
  const step = { subjectId, step: 1, model: 'demo', answer: '', finish: 'stop', recordedAt: at }
  await database('steps').insert({ ...step, ...counts })
  const call = { subjectId, step: 1, position: 0, id: newId(), name: 'act', effect: 'read', status: 'failed' }
  await database('tool_calls').insert({ ...call, arguments: '{}', plannedAt: at })
}

const tables = ['run_inputs', 'run_events', 'steps', 'tool_calls']

/** In which partitions the rows of a run or an answer are. */
async function placesOf(database: Database, id: string): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(partitionedTables).map(([table, key]) =>
      database(table)
        .where({ [key]: id })
        .select(database.raw('tableoid::regclass::text as place')),
    ),
  )
  return found.flat().map(({ place }: { place: string }) => place)
}

const inWeek = (start: string) => tables.map((table) => `${table}_${start}`)
const inDefault = tables.map((table) => `${table}_default`)

test('there are partitions for this week and the next two, and nothing is lost of a run without one', async (t) => {
  const { database, run } = await open(t)
  const [before, now] = [await run(longAgo), await run(new Date())]
  t.deepEqual(await placesOf(database, before), inDefault)
  const places = await placesOf(database, now)
  t.is(places.filter((place) => !place.endsWith('_default')).length, 4)
  t.is((await listPartitions(database)).length, 4 * 3)
  t.deepEqual(await ensurePartitions(database, new Date()), [], 'they are created once')
})

test('a new partition takes over what went to the default one', async (t) => {
  const { database, run } = await open(t)
  const [inside, outside] = [await run(longAgo), await run(new Date(longAgo.getTime() + 7 * day))]
  await ensurePartitions(database, new Date(longAgo.getTime() - 14 * day), longAgo)
  t.deepEqual(await placesOf(database, inside), inWeek('20260112'))
  t.deepEqual(await placesOf(database, outside), inDefault)
  const sunday = await run(new Date('2026-01-18T23:59:59.999Z'))
  t.deepEqual(await placesOf(database, sunday), inWeek('20260112'))
})

test('a week’s timelines are dropped when none of its runs is left; a run that is kept keeps its own only', async (t) => {
  const { database, run, purge } = await open(t)
  await ensurePartitions(database, new Date(longAgo.getTime() - 14 * day), longAgo)
  const [old, young] = [await run(longAgo), await run(new Date())]
  await purge()
  t.deepEqual(await placesOf(database, old), [])
  t.is((await placesOf(database, young)).length, 4)
  t.is((await listPartitions(database)).length, 4 * 3)

  await ensurePartitions(database, new Date(longAgo.getTime() - 14 * day), longAgo)
  const waiting = await run(longAgo, false)
  const gone = [await run(longAgo), await run(new Date(longAgo.getTime() + day)), await run(new Date('2025-12-24'))]
  await purge()
  t.deepEqual(await placesOf(database, waiting), inWeek('20260112'))
  for (const id of gone) t.deepEqual(await placesOf(database, id), [])
})

test('timelines wait a week for the last runs of theirs before they are searched for leftovers', async (t) => {
  const { database, run, purge } = await open(t)
  // The last moment of the last week that ended more than 90 days ago.
  const recent = new Date(Math.floor((Date.now() - 94 * day) / (7 * day)) * 7 * day + 4 * day - 1)
  await ensurePartitions(database, new Date(recent.getTime() - 14 * day), recent)
  const [waiting, gone] = [await run(recent, false), await run(recent)]
  await purge()
  t.is((await placesOf(database, waiting)).length, 4)
  t.is((await placesOf(database, gone)).length, 4)
})

test('a table that is being read is left for the next round, and nobody waits for it', async (t) => {
  const { database, run, purge } = await open(t)
  await ensurePartitions(database, new Date(longAgo.getTime() - 14 * day), longAgo)
  const old = await run(longAgo)
  let locks = 0
  database.on('query', ({ sql }: { sql: string }) => {
    if (sql.startsWith('lock table')) locks += 1
  })
  const letGo = await hold(database, (trx) => trx.raw('select from run_events limit 1'))
  try {
    await purge()
    t.deepEqual(await placesOf(database, old), inWeek('20260112'))
    t.is(locks, 1, 'writers wait behind each attempt, so there is one a round')
  } finally {
    await letGo()
  }
  await purge()
  t.deepEqual(await placesOf(database, old), [])
})

test('a week’s steps and calls are kept while a chat has an answer of that week, without those of its runs', async (t) => {
  const { database, run, answer, endSessions, purge } = await open(t)
  await ensurePartitions(database, new Date(longAgo.getTime() - 14 * day), longAgo)
  const [kept, old] = [await answer(longAgo, false), await answer(longAgo)]
  const late = await answer(new Date('2025-12-24'), false)
  const gone = await run(longAgo)
  await purge()
  t.deepEqual(await placesOf(database, kept), ['steps_20260112', 'tool_calls_20260112'])
  t.deepEqual(await placesOf(database, late), ['steps_default', 'tool_calls_default'])
  for (const id of [old, gone]) t.deepEqual(await placesOf(database, id), [])
  const names = (await listPartitions(database)).map(({ name }) => name)
  t.deepEqual(
    names.filter((name) => name.endsWith('_20260112')),
    ['steps_20260112', 'tool_calls_20260112'],
  )
  await endSessions()
  await purge()
  for (const id of [kept, late]) t.deepEqual(await placesOf(database, id), [])
  t.is((await listPartitions(database)).length, 4 * 3)
})
