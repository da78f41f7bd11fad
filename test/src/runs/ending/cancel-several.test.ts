// @promise cancel
import test from 'ava'
import type { InferInput } from 'valibot'
import { cancelRuns, skipRuns } from '../../../../api/run-endings.ts'
import * as audit from '../../../../api/audit.ts'
import * as members from '../../../../api/members.ts'
import { newId } from '../../../../src/ids.ts'
import { mostEnded } from '../../../../src/runs/ending/cancel-several.ts'
import { matchingRuns } from '../../../../src/runs/ending/matching-runs.ts'
import { unfinishedStatuses } from '../../../../src/runs/states.ts'
import { call, type Client } from '../../../helpers/client.ts'
import { hold, untilBlocked } from '../../../helpers/hold.ts'
import { agentOf, customer, runOf, timelineOf, webhookAgent, type Person } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { cancel, dataOf, runsOf } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { join, memberOf, userIdOf, workspaceOf } from '../../../helpers/workspaces.ts'
import { looksAt } from '../../database/looks.ts'

/** Without a worker: what is queued stays queued, unless the test claims it. */
const platformOf = sharedPlatform(test, 'idle')
/** Of this file's own: its locks and what its queries look at are watched. */
const watchedPlatform = forWholeFile(test, 'cancel several', (t) => startPlatform(t))

async function open(tier = 'pro') {
  const platform = await platformOf()
  const someone = await customer(platform, tier)
  return { platform, someone, agent: await webhookAgent(someone) }
}

/** Has this many runs of the agent queued, oldest first. */
async function queueUp(
  { services }: Platform,
  agent: { id: string },
  count: number,
  trigger: 'manual' | 'webhook' = 'webhook',
) {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1)
    ids.push((await services.runs.accept.one({ agentId: agent.id, trigger, requestId: newId() })).runId)
  return ids
}

type Body = InferInput<NonNullable<typeof cancelRuns.body>>

const cancelAll = (someone: Client, body: Body) => call(someone, cancelRuns, { body })
const skipAll = (someone: Client, body: Body) => call(someone, skipRuns, { body })

const statusesOf = async (someone: Person, agent: { id: string }) =>
  (await runsOf(someone, agent)).map(({ status }) => status)

test('runs are cancelled by their ids, and those that cannot be are refused with the code of a single request', async (t) => {
  const { platform, someone, agent } = await open()
  const stranger = await customer(platform)
  const [foreign = ''] = await queueUp(platform, await webhookAgent(stranger), 1)
  const [first = '', ended = '', second = '', kept = ''] = await queueUp(platform, agent, 4)
  await cancel(someone, ended)
  const unknown = newId()
  const { status, body } = await cancelAll(someone, {
    runIds: [second, foreign, ended, first.toUpperCase(), unknown, first, 'no id'],
  })
  t.is(status, 200)
  t.deepEqual(body, {
    changed: 2,
    more: false,
    refused: [
      { runId: foreign, code: 'RUN_NOT_FOUND' },
      { runId: unknown, code: 'RUN_NOT_FOUND' },
      { runId: 'no id', code: 'RUN_NOT_FOUND' },
      { runId: ended, code: 'RUN_NOT_CANCELLABLE' },
    ],
  })
  t.is((await runOf(stranger, foreign)).status, 'queued')
  t.is((await runOf(someone, kept)).status, 'queued')
  for (const id of [first, second]) {
    t.like(await runOf(someone, id), { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
    const timeline = await timelineOf(someone, id)
    t.deepEqual(
      timeline.map(({ kind }) => kind),
      ['accepted', 'cancel.requested', 'ended'],
    )
    t.deepEqual(dataOf(timeline, 'cancel.requested'), [{ by: 'owner' }])
  }
  const queue = (await platform.services.database('agent_queues').where({ agentId: agent.id }).first()) as object
  t.like(queue, { unfinished: 1 })
})

test('a filter ends a hundred runs at a time, oldest first, and says whether there are more', async (t) => {
  const { platform, someone, agent } = await open()
  const ids = await queueUp(platform, agent, mostEnded + 10)
  const filter = { agentId: agent.id }
  t.deepEqual((await skipAll(someone, { filter })).body, { changed: mostEnded, refused: [], more: true })
  const left = (await runsOf(someone, agent)).filter(({ status }) => status === 'queued')
  t.deepEqual(
    left.map(({ id }) => id),
    ids.slice(mostEnded),
  )
  t.deepEqual((await skipAll(someone, { filter })).body, { changed: 10, refused: [], more: false })
  t.deepEqual((await skipAll(someone, { filter })).body, { changed: 0, refused: [], more: false })
  t.deepEqual([...new Set(await statusesOf(someone, agent))], ['skipped'])
})

test('a filter selects by agent, state, trigger and time, among the runs of one owner', async (t) => {
  const { platform, someone, agent } = await open()
  const other = await agentOf(someone)
  const [early = ''] = await queueUp(platform, agent, 1)
  const middle = new Date(Date.now() + 3_600_000)
  const late = await queueUp(platform, agent, 1)
  await platform.services.database('runs').whereIn('id', late).update({ acceptedAt: middle })
  const [manual = ''] = await queueUp(platform, other, 1, 'manual')
  const time = middle.toISOString()
  const outcome = async (filter: Body['filter']) => {
    const { changed, refused } = (await cancelAll(someone, { filter })).body
    t.deepEqual(refused, [])
    return changed
  }
  t.is(await outcome({ status: 'waiting' }), 0)
  t.is(await outcome({ status: 'completed' }), 0)
  t.is(await outcome({ trigger: 'scheduled' }), 0)
  t.is(await outcome({ agentId: newId() }), 0)
  t.is(await outcome({ agentId: other.id, trigger: 'webhook' }), 0)
  t.is(await outcome({ acceptedSince: time, agentId: other.id }), 0)
  t.is(await outcome({ acceptedUntil: time, agentId: agent.id.toUpperCase() }), 1)
  t.is((await runOf(someone, early)).status, 'cancelled')
  t.is(await outcome({ acceptedUntil: time, trigger: 'webhook' }), 0)
  t.is((await runOf(someone, late[0] ?? '')).status, 'queued')
  t.is(await outcome({ trigger: 'manual' }), 1)
  t.is((await runOf(someone, manual)).status, 'cancelled')
  t.is(await outcome({}), 1)
  t.is((await runOf(someone, late[0] ?? '')).status, 'cancelled')
})

test('a run that works is cancelled once and never skipped', async (t) => {
  const { platform, someone, agent } = await open()
  const [working = '', queued = ''] = await queueUp(platform, agent, 2)
  await platform.services.runs.queue.claimNext(agent.id)
  t.deepEqual((await skipAll(someone, { runIds: [working] })).body, {
    changed: 0,
    refused: [{ runId: working, code: 'RUN_NOT_CANCELLABLE' }],
    more: false,
  })
  t.deepEqual((await skipAll(someone, { filter: {} })).body, { changed: 1, refused: [], more: false })
  t.like(await runOf(someone, queued), { status: 'skipped' })
  t.deepEqual((await cancelAll(someone, { filter: {} })).body, { changed: 1, refused: [], more: false })
  const { cancelRequestedAt } = await runOf(someone, working)
  t.truthy(cancelRequestedAt)
  t.deepEqual((await cancelAll(someone, { filter: {} })).body, { changed: 0, refused: [], more: false })
  t.like((await cancelAll(someone, { runIds: [working] })).body, { changed: 1, refused: [] })
  t.like(await runOf(someone, working), { status: 'running', cancelRequestedAt })
  t.is(dataOf(await timelineOf(someone, working), 'cancel.requested').length, 1)
  const { items } = (await call(someone, audit.listAudit, { query: { subjectId: working } })).body
  t.deepEqual(
    items.map(({ action }) => action),
    ['cancelRuns'],
  )
})

test('what does not name runs in one of the two ways is refused and ends nothing', async (t) => {
  const { platform, someone, agent } = await open()
  const [id = ''] = await queueUp(platform, agent, 1)
  const bodies: [Record<string, unknown>, path: string][] = [
    [{}, ''],
    [{ runIds: [id], filter: {} }, ''],
    [{ runIds: [] }, 'runIds'],
    [{ runIds: Array.from({ length: mostEnded + 1 }, () => newId()) }, 'runIds'],
    [{ filter: { agentId: 'x' } }, 'filter.agentId'],
    [{ filter: { status: 'over' } }, 'filter.status'],
    [{ filter: { acceptedSince: 'now' } }, 'filter.acceptedSince'],
    [{ filter: { surprise: 1 } }, 'filter.surprise'],
  ]
  for (const route of [cancelRuns, skipRuns])
    for (const [body, path] of bodies) {
      const { failure } = await call(someone, route, { raw: JSON.stringify(body) })
      t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path }] }, JSON.stringify(body))
    }
  t.is((await runOf(someone, id)).status, 'queued')
})

// @promise roles
test('each run needs the permission of its own owner, and each owner’s audit log names it', async (t) => {
  const { platform, someone: boss } = await open('team')
  const { id: workspaceId } = await workspaceOf(boss)
  const shared = await webhookAgent(boss, { workspaceId })
  const [viewer, member] = [
    await memberOf(platform, workspaceId, 'viewer'),
    await memberOf(platform, workspaceId, 'member'),
  ]
  const own = { viewer: await agentOf(viewer), member: await agentOf(member) }
  const filter = { workspaceId, agentId: shared.id }

  const [theirs = ''] = await queueUp(platform, shared, 1)
  const [mine = ''] = await queueUp(platform, own.viewer, 1, 'manual')
  const refused = [{ runId: theirs, code: 'PERMISSION_DENIED' as const }]
  t.deepEqual((await cancelAll(viewer, { runIds: [theirs, mine] })).body, { changed: 1, refused, more: false })
  t.is((await cancelAll(viewer, { filter })).failure.code, 'PERMISSION_DENIED')
  t.is((await runOf(boss, theirs)).status, 'queued')

  const stranger = await customer(platform)
  t.is((await cancelAll(stranger, { filter })).failure.code, 'WORKSPACE_NOT_FOUND')
  t.deepEqual((await cancelAll(stranger, { filter: { agentId: shared.id } })).body, {
    changed: 0,
    refused: [],
    more: false,
  })

  const [other = ''] = await queueUp(platform, own.member, 1, 'manual')
  t.like((await cancelAll(member, { runIds: [other, theirs] })).body, { changed: 2, refused: [] })
  const logOf = async (client: Client, query: Record<string, string>) =>
    (await call(client, audit.listAudit, { query: { action: 'cancelRuns', ...query } })).body.items
  const [entry, ...more] = await logOf(boss, { workspaceId })
  t.deepEqual(more, [])
  t.like(entry, {
    subject: { kind: 'run', id: theirs },
    outcome: 'done',
    actor: { userId: await userIdOf(member), via: 'login' },
  })
  t.deepEqual([entry?.before, entry?.after], [{ status: 'queued' }, { status: 'cancelled' }])
  t.deepEqual(
    (await logOf(member, {})).map(({ subject }) => subject.id),
    [other],
  )
  t.deepEqual(
    (await logOf(viewer, {})).map(({ subject }) => subject.id),
    [mine],
  )
})

test('in a workspace whose owner lacks the tier, runs can be cancelled but not skipped', async (t) => {
  const { platform, someone } = await open('team')
  const { id: workspaceId } = await workspaceOf(someone)
  const runIds = await queueUp(platform, await webhookAgent(someone, { workspaceId }), 1)
  const ownerId = await userIdOf(someone)
  await platform.services.database('accounts').where({ ownerId }).update({ tier: 'free', currentPeriodEnd: null })
  const refused = runIds.map((runId) => ({ runId, code: 'WORKSPACE_REQUIRED' as const }))
  t.deepEqual((await skipAll(someone, { runIds })).body, { changed: 0, refused, more: false })
  t.is((await skipAll(someone, { filter: { workspaceId } })).failure.code, 'WORKSPACE_REQUIRED')
  t.like((await cancelAll(someone, { filter: { workspaceId } })).body, { changed: 1 })
})

// @promise at-once
test.serial('a member who is removed while a request waits for a queue ends no run with it', async (t) => {
  const platform = await watchedPlatform()
  const { database } = platform.services
  const boss = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(boss)
  const member = await memberOf(platform, workspaceId, 'member')
  const params = { workspaceId, userId: await userIdOf(member) }
  const agent = await webhookAgent(boss, { workspaceId })
  const [runId = ''] = await queueUp(platform, agent, 1)
  for (const body of [{ runIds: [runId] }, { filter: { workspaceId } }]) {
    const release = await hold(database, (trx) => trx('agent_queues').where({ agentId: agent.id }).forUpdate())
    const asked = cancelAll(member, body)
    await untilBlocked(database)
    await call(boss, members.removeMember, { params })
    await release()
    t.deepEqual((await asked).body, { changed: 0, refused: [{ runId, code: 'RUN_NOT_FOUND' }], more: false })
    t.is((await runOf(boss, runId)).status, 'queued')
    await join(platform, workspaceId, member, 'member')
  }
  t.like((await cancelAll(member, { runIds: [runId] })).body, { changed: 1 })
})

const fillStatement = `
  insert into runs (id, agent_id, owner_id, sequence, trigger, status, request_id, accepted_at, progressed_at, ended_at)
  select (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || :mark || '00000000000a')::uuid, :agentId, :ownerId, n, 'webhook',
         :status::run_status, 'r', to_timestamp(1700000000), now(), case when :status = 'queued' then null else now() end
    from generate_series(:first::int, :first::int + 19999) n`

test.serial('a filter reads little more than the runs that it finds, however many others there are', async (t) => {
  const platform = await watchedPlatform()
  const { database } = platform.services
  const someone = await customer(platform)
  const ownerId = await userIdOf(someone)
  const [busy, rare] = [await webhookAgent(someone), await agentOf(someone)]
  const of = { agentId: busy.id, ownerId }
  await database.raw(fillStatement, { ...of, status: 'completed', first: 1, mark: '8000' })
  await database.raw(fillStatement, { ...of, status: 'queued', first: 30_000, mark: '9000' })
  await queueUp(platform, rare, 3, 'manual')
  await database.raw('vacuum (analyze) runs')
  const most = mostEnded + 1
  const now = new Date(Date.now() - 60_000)
  const filters: [filter: Parameters<typeof matchingRuns>[2], found: number][] = [
    [{}, most],
    [{ agentId: busy.id }, most],
    [{ agentId: rare.id }, 3],
    [{ trigger: 'manual' }, 3],
    [{ trigger: 'scheduled' }, 0],
    [{ status: 'waiting' }, 0],
    [{ agentId: busy.id, status: 'running' }, 0],
    [{ acceptedSince: now }, 3],
    [{ acceptedUntil: new Date('2020-01-01') }, 0],
  ]
  for (const [filter, found] of filters) {
    const looks = await looksAt(database, 'runs', async () => {
      const runs = await matchingRuns(database, ownerId, filter, { statuses: unfinishedStatuses, most })
      t.is(runs.length, found, JSON.stringify(filter))
    })
    // Plans give rows as averages of loops.
    t.true(looks < found + 20, `${JSON.stringify(filter)} looked at ${looks} rows`)
  }
})
