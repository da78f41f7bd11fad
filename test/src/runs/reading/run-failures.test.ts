// @promise lists
import test from 'ava'
import { moveThings } from '../../../../api/moves.ts'
import { listRunFailures } from '../../../../api/run-failures.ts'
import { newId } from '../../../../src/ids.ts'
import { mostFailures, mostGroups } from '../../../../src/runs/reading/run-failures.ts'
import { endReasons, type EndReason } from '../../../../src/runs/states.ts'
import { call } from '../../../helpers/client.ts'
import { agentOf, customer, type Person } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'
import { userIdOf, workspaceOf } from '../../../helpers/workspaces.ts'
import { looksAt } from '../../database/looks.ts'

/** Of this file's own: what its queries look at is counted. */
const platformOf = forWholeFile(test, 'failures', (t) => startPlatform(t))

const hour = 3_600_000
const day = 24 * hour

interface Made {
  status?: string
  reason?: EndReason
  error?: string
  /** When the run ended, in milliseconds before now. */
  ago: number
}

async function open(tier = 'pro') {
  const platform = await platformOf()
  const { database } = platform.services
  const someone = await customer(platform, tier)
  const ownerId = await userIdOf(someone)
  const now = Date.now()
  const at = (ago: number) => new Date(now - ago)
  let sequence = 0

  /** Records a run that ended, and returns its id. */
  async function ended(agentId: string, { status = 'failed', reason, error, ago }: Made, owner = ownerId) {
    const id = newId()
    sequence += 1
    const more = { requestId: 'r', acceptedAt: at(ago), progressedAt: at(ago), endedAt: at(ago) }
    const why = reason && { reason, error: error ?? endReasons[reason] }
    await database('runs').insert({
      id,
      agentId,
      ownerId: owner,
      sequence,
      trigger: 'webhook',
      status,
      ...why,
      ...more,
    })
    return id
  }

  /** Records many runs of an agent that ended, one a second, the last one a second ago. */
  const many = (agentId: string, count: number, status = 'failed') =>
    database.raw(manyStatement, { agentId, ownerId, count, status, first: (sequence += 1_000_000) })

  return { platform, database, someone, ownerId, at, ended, many }
}

const manyStatement = `
  insert into runs (id, agent_id, owner_id, sequence, trigger, status, request_id, accepted_at, progressed_at, ended_at, reason, error)
  select gen_random_uuid(), :agentId, :ownerId, :first::bigint + n, 'webhook', :status::run_status, 'r', now(), now(),
         now() - make_interval(secs => 1 + :count::int - n), 'MODEL_ERROR', 'It failed.'
    from generate_series(1, :count::int) n`

const failures = async (someone: Person, query: Record<string, string> = {}) =>
  (await call(someone, listRunFailures, { query })).body

test('failed runs are grouped by agent and reason, the most recent group first, and other endings are left out', async (t) => {
  const { someone, at, ended } = await open()
  const [one, other] = [await agentOf(someone, { name: 'One' }), await agentOf(someone, { name: 'Other' })]
  await ended(one.id, { reason: 'MODEL_ERROR', error: 'The first error.', ago: 5 * hour })
  await ended(other.id, { reason: 'MODEL_ERROR', ago: 4 * hour })
  const latest = await ended(one.id, { reason: 'MODEL_ERROR', error: 'The last error.', ago: 3 * hour })
  const budget = await ended(one.id, { reason: 'BUDGET_STEPS', ago: 2 * hour })
  await ended(one.id, { reason: 'MODEL_ERROR', error: 'An old error.', ago: 3.5 * hour })
  await ended(one.id, { status: 'cancelled', reason: 'CANCELLED_BY_OWNER', ago: hour })
  await ended(one.id, { status: 'skipped', reason: 'OVERLAP', ago: hour })
  await ended(one.id, { status: 'completed', ago: hour })
  const { items, isComplete } = await failures(someone)
  t.true(isComplete)
  t.deepEqual(
    items.map(({ agentName, reason, count }) => [agentName, reason, count]),
    [
      ['One', 'BUDGET_STEPS', 1],
      ['One', 'MODEL_ERROR', 3],
      ['Other', 'MODEL_ERROR', 1],
    ],
  )
  t.like(items[0], { message: endReasons.BUDGET_STEPS, lastRunId: budget })
  t.deepEqual(items[1], {
    agentId: one.id,
    agentName: 'One',
    reason: 'MODEL_ERROR',
    message: 'The last error.',
    count: 3,
    firstEndedAt: at(5 * hour).toISOString(),
    lastEndedAt: at(3 * hour).toISOString(),
    lastRunId: latest,
  })
  t.deepEqual((await failures(someone, { agentId: other.id })).items, items.slice(2))
})

test('a period of failures includes its start, excludes its end, and begins seven days ago by default', async (t) => {
  const { someone, at, ended } = await open()
  const { id } = await agentOf(someone)
  for (const days of [1, 2, 6.9, 7.1, 30]) await ended(id, { reason: 'MODEL_ERROR', ago: days * day })
  const counted = async (query: Record<string, string>) => (await failures(someone, query)).items[0]?.count ?? 0
  const time = (days: number) => at(days * day).toISOString()
  const periods: [query: Record<string, string>, count: number][] = [
    [{}, 3],
    [{ since: time(31) }, 5],
    [{ since: time(30) }, 5],
    [{ since: time(2) }, 2],
    [{ since: time(30), until: time(2) }, 3],
    [{ until: time(1) }, 2],
    [{ since: time(1), until: time(1) }, 0],
  ]
  for (const [query, count] of periods)
    for (const more of [{}, { agentId: id }]) t.is(await counted({ ...query, ...more }), count, JSON.stringify(query))
})

test('failures are those of the owner that is asked about', async (t) => {
  const { platform, someone, ended } = await open('team')
  const { id: workspaceId } = await workspaceOf(someone)
  const [own, shared] = [await agentOf(someone), await agentOf(someone, { workspaceId })]
  await ended(own.id, { reason: 'MODEL_ERROR', ago: 2 * hour })
  await ended(shared.id, { reason: 'BUDGET_TIME', ago: 2 * hour }, workspaceId)
  const reasons = async (client: Person, query = {}) =>
    (await failures(client, query)).items.map(({ reason }) => reason)
  t.deepEqual(await reasons(someone), ['MODEL_ERROR'])
  t.deepEqual(await reasons(someone, { workspaceId }), ['BUDGET_TIME'])
  t.deepEqual(await reasons(someone, { agentId: shared.id }), [])
  const stranger = await customer(platform)
  t.deepEqual(await reasons(stranger, { agentId: own.id }), [])
  const refused = await call(stranger, listRunFailures, { query: { workspaceId } })
  t.is(refused.failure.code, 'WORKSPACE_NOT_FOUND')

  const { database } = platform.services
  await database('agent_queues').where({ agentId: own.id }).update({ lastSequence: 1000 })
  await call(someone, moveThings, { body: { workspaceId, agentIds: [own.id] } })
  t.like((await failures(someone)).items, { 0: { agentId: own.id, agentName: null, count: 1 }, length: 1 })
  t.deepEqual(await reasons(someone, { workspaceId, agentId: own.id }), [], 'they stay with the previous owner')
})

test.serial('at most a hundred groups are listed, and the answer says that it is not complete', async (t) => {
  const { someone, ended } = await open()
  const reasons = Object.keys(endReasons) as EndReason[]
  const ids: string[] = []
  for (let number = 1; number <= 5; number += 1) ids.push((await agentOf(someone)).id)
  const pairs = ids.flatMap((id) => reasons.map((reason) => ({ id, reason })))
  t.true(pairs.length > mostGroups)
  for (const [index, { id, reason }] of pairs.slice(0, mostGroups).entries())
    await ended(id, { reason, ago: (1000 - index) * 1000 })
  t.like(await failures(someone), { isComplete: true, items: { length: mostGroups } })
  const [next] = pairs.slice(mostGroups)
  await ended(next?.id ?? '', { reason: next?.reason ?? 'MODEL_ERROR', ago: 1000 })
  const { items, isComplete } = await failures(someone)
  t.false(isComplete)
  t.is(items.length, mostGroups)
  t.like(items[0], { agentId: next?.id, reason: next?.reason })
})

test.serial(
  'of very many failures the latest ten thousand are counted, and the answer says that it is not complete',
  async (t) => {
    const { database, someone, ownerId, many, ended } = await open()
    const [busy, rare] = [await agentOf(someone), await agentOf(someone)]
    await ended(rare.id, { reason: 'BUDGET_TIME', ago: 6 * day })
    await many(busy.id, mostFailures + 5000)
    await many(busy.id, 20_000, 'completed')
    await database.raw('vacuum (analyze) runs')
    const all = await failures(someone)
    t.false(all.isComplete)
    t.like(all.items, { 0: { agentId: busy.id, count: mostFailures }, length: 1 })
    t.false((await failures(someone, { agentId: busy.id })).isComplete)
    const ofRare = await failures(someone, { agentId: rare.id })
    t.like(ofRare, { isComplete: true, items: { 0: { count: 1 }, length: 1 } })
    t.like(await failures(someone, { until: new Date(Date.now() - 5 * day).toISOString() }), ofRare)

    const { reading } = (await platformOf()).services.runs
    const since = new Date(Date.now() - 7 * day)
    const looks = (filter: { agentId?: string; until?: Date }) =>
      looksAt(database, 'runs', () => reading.failures(ownerId, { since, ...filter }))
    t.true((await looks({})) <= mostFailures + 10)
    t.true((await looks({ agentId: busy.id })) <= mostFailures + 10)
    t.true((await looks({ agentId: rare.id })) < 10, 'an agent with few failures')
    t.true((await looks({ until: new Date(Date.now() - 5 * day) })) < 10, 'a period with few failures')
    const other = await userIdOf(await customer(await platformOf()))
    t.is(await looksAt(database, 'runs', () => reading.failures(other, { since })), 0, 'an owner without failures')
  },
)

test('identifiers in a query for failures are read in any case', async (t) => {
  const { someone, ended } = await open()
  const { id } = await agentOf(someone)
  await ended(id, { reason: 'MODEL_ERROR', ago: hour })
  t.is((await failures(someone, { agentId: id.toUpperCase() })).items.length, 1)
  t.deepEqual((await failures(someone, { agentId: newId() })).items, [])
})
