import test from 'ava'
import type { Client } from 'pg'
import * as workspaces from '../../api/workspaces.ts'
import { createDeletions } from '../../src/deletion/deletions.ts'
import { createStopOwner } from '../../src/deletion/stop-owner.ts'
import { runRound } from '../../src/loops.ts'
import { makeThings } from '../api/stage.ts'
import { openSession } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { onServer } from '../helpers/database.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { scheduledAgent } from '../helpers/schedules.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { inviteTo, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { graceIsOver, leave, openStage } from './stage.ts'

/* That no statement of a deletion reads a growing table as a whole. */

const stage = forWholeFile(test, 'plans', (t) => openStage(t, { worker: false }))

interface Sent {
  sql: string
  bindings: unknown[]
}

/** Does rounds until the owner is emptied, and returns the statements that they sent. */
async function statementsOf({ services }: Platform, ownerId: string): Promise<Sent[]> {
  const { database } = services
  const sent = new Map<string, Sent>()
  const note = ({ sql, bindings, options }: Sent & { options?: { values?: unknown[] } }) =>
    void (sent.has(sql) || sent.set(sql, { sql, bindings: options?.values ?? bindings }))
  await eventually(60, 'the owner is deleted', async () => {
    await runRound(services, 'reconciler')
    await runRound(services, 'chats')
    await database('agent_queues').update({ awake: false })
    database.on('query', note)
    await runRound(services, 'deletions')
    database.off('query', note)
    const row = (await database('deletions').where({ ownerId }).first()) as { emptiedAt: Date | null }
    return row.emptiedAt ?? undefined
  })
  // The second look through the tables.
  await database('deletions')
    .where({ ownerId })
    .update({ nextAt: new Date(Date.now() - 1000) })
  await runRound(services, 'deletions')
  return [...sent.values()].filter(({ sql }) => /^\s*(select|update|delete|with)\b/i.test(sql))
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/** The tables that a plan reads as a whole, or the whole of an index of; without an index there is no other way. */
function wholeIn(plan: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '', Plans: inner = [] } = plan
  const isWhole =
    type === 'Seq Scan' || (/^(Index|Bitmap Index)/.test(type) && !('Index Cond' in plan) && !smallIndexes.has(index))
  return [...(isWhole ? [index || table] : []), ...inner.flatMap(wholeIn)]
}

/** Of what is open at the time: answers that have not ended, and owners that are being deleted. */
const smallIndexes = new Set(['chat_answers_open', 'deletions_due'])

/** A row is taken within two seconds. */
const smallTables = new Set(['password_requests', 'password_requests_pkey'])

async function planOf(client: Client, { sql, bindings }: Sent): Promise<Plan> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${sql}`, bindings)
  return (rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan
}

test('every statement of a deletion finds its rows by an index', async (t) => {
  const { platform, sites } = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  for (const within of [undefined, workspaceId]) {
    await makeThings(platform, owner, sites, within)
    await openSession(owner, within === undefined ? {} : { workspaceId: within })
    await inviteTo(platform, owner, workspaceId)
  }
  await call(owner, workspaces.deleteWorkspace, { params: { workspaceId } })
  const ofWorkspace = await statementsOf(platform, workspaceId)
  await leave(owner)
  const userId = await userIdOf(owner)
  await graceIsOver(platform, userId)
  const sent = [...ofWorkspace, ...(await statementsOf(platform, userId))]
  t.true(sent.length > 60, `${sent.length} statements`)
  await onServer(platform.config.database.url, async (client) => {
    await client.query('set enable_seqscan = off')
    for (const statement of sent) {
      const whole = wholeIn(await planOf(client, statement)).filter((name) => !smallTables.has(name))
      t.deepEqual(whole, [], statement.sql)
    }
  })
})

test.serial('an owner who cannot be deleted for now keeps no other waiting, and is tried again', async (t) => {
  const { platform } = await stage()
  const { services } = platform
  const [first, second] = [await customer(platform, 'team'), await person(platform)]
  await workspaceOf(first)
  const ids: string[] = []
  for (const someone of [first, second]) {
    ids.push(await userIdOf(someone))
    await leave(someone)
    await graceIsOver(platform, ids.at(-1) ?? '')
  }
  const remove = () => Promise.reject(new Error('it cannot be removed now'))
  await createDeletions({ ...services, workspaces: { remove } }).round(new AbortController().signal)
  const rowOf = (ownerId = '') => services.database('deletions').where({ ownerId }).first()
  t.truthy((await rowOf(ids[1])).emptiedAt)
  const { emptiedAt, nextAt } = await rowOf(ids[0])
  t.is(emptiedAt, null)
  t.true(nextAt > new Date())
})

test.serial(
  'an owner is busy while a run has not ended, a queue may be at work, or a schedule is to be removed',
  async (t) => {
    const { platform } = await stage()
    const { database, schedules, ...services } = platform.services
    const { isBusy } = createStopOwner({ ...services, database })
    const [someone, neighbour] = [await customer(platform), await customer(platform)]
    await start(neighbour, await agentOf(neighbour))
    const { id: agentId, ownerId } = await scheduledAgent(someone)
    await schedules.settled()
    const inStep = { generation: 1, syncedGeneration: 1 }
    const quiet = { unfinished: 0, awake: false, progressedAt: new Date(0) }
    const now = new Date()
    const rows: [queue: object, schedule: object, isBusy: boolean][] = [
      [{}, inStep, false],
      [{ unfinished: 1 }, inStep, true],
      [{ awake: true, progressedAt: now }, inStep, true],
      [{ awake: true }, inStep, false],
      [{ progressedAt: now }, inStep, false],
      [{}, { ...inStep, generation: 2 }, true],
    ]
    for (const [queue, schedule, expected] of rows) {
      await database('agent_queues')
        .where({ agentId })
        .update({ ...quiet, ...queue })
      await database('schedules').where({ agentId }).update(schedule)
      t.is(await isBusy(ownerId), expected, JSON.stringify([queue, schedule]))
    }
  },
)
