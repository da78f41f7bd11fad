// @promise lists
import test from 'ava'
import * as agents from '../../../api/agents.ts'
import * as moves from '../../../api/moves.ts'
import * as runs from '../../../api/runs.ts'
import * as workspaces from '../../../api/workspaces.ts'
import { settleArrivals } from '../../../src/database/arrivals.ts'
import { newId } from '../../../src/ids.ts'
import { call, type Client } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { agentOf, customer, person, type Person } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { join, userIdOf, workspaceOf } from '../../helpers/workspaces.ts'

/* Lists in the order of arrival, and the recipe of the manual: ask until nothing comes, and go on with the cursor. */

const platformOf = forWholeFile(test, 'arrivals', (t) => startPlatform(t))

type Listing = typeof runs.listRuns

/** Reads on from a cursor until a page is empty. */
async function follow(someone: Client, route: Listing, cursor?: string, more: Record<string, string> = {}) {
  const ids: string[] = []
  let at = cursor
  for (;;) {
    const query = { order: 'arrival', limit: '2', ...more, ...(at !== undefined && { cursor: at }) }
    const { body } = await call(someone, route, { query })
    at = body.nextCursor as string
    if (body.items.length === 0) return { ids, cursor: at }
    ids.push(...body.items.map(({ id }) => id))
  }
}

/** The same, until so many have come: other transactions on the server may be under way. */
async function followUntil(count: number, ...[someone, route, from, more]: Parameters<typeof follow>) {
  const ids: string[] = []
  let cursor = from
  await eventually(20, `${count} have come`, async () => {
    const read = await follow(someone, route, cursor, more)
    ids.push(...read.ids)
    cursor = read.cursor
    return ids.length >= count || undefined
  })
  return { ids, cursor: cursor ?? '' }
}

async function ownerOf({ services }: Platform) {
  const someone = await customer({ url: (await platformOf()).url })
  const [agent, other] = [await agentOf(someone), await agentOf(someone)]
  const ownerId = await userIdOf(someone)
  const rowOf = (acceptedAt: Date, sequence: number, agentId = agent.id) => ({
    id: newId(),
    agentId,
    ownerId,
    sequence,
    acceptedAt,
    progressedAt: acceptedAt,
    endedAt: acceptedAt,
    trigger: 'webhook',
    status: 'completed',
    requestId: 'r',
  })
  return { someone, agent, other, rowOf, database: services.database }
}

test('a run that is committed after a later one is missed by nobody who follows the list, whatever its time is', async (t) => {
  const { someone, other, rowOf, database } = await ownerOf(await platformOf())
  const { cursor } = await follow(someone, runs.listRuns)
  const now = Date.now()
  const late = rowOf(new Date(now), 1)
  const early = [5, 200, -60_000].map((ms, index) => rowOf(new Date(now + ms), index + 1, other.id))
  const open = await database.transaction()
  t.teardown(() => (open.isCompleted() ? undefined : open.rollback()))
  await open('runs').insert(late)
  await database('runs').insert(early)
  const meanwhile = await follow(someone, runs.listRuns, cursor)
  t.deepEqual(meanwhile.ids, [], 'none in front of which another one may come')
  const newest = await call(someone, runs.listRuns)
  t.is(newest.body.items.length, early.length, 'newest first, what is there is shown at once')
  await open.commit()
  const all = [late, ...early].map(({ id }) => id).toSorted()
  const { ids } = await followUntil(4, someone, runs.listRuns, meanwhile.cursor)
  t.deepEqual(ids.toSorted(), all, 'each once, with the cursor of the empty page')
  t.deepEqual(
    (await followUntil(4, someone, runs.listRuns, cursor)).ids,
    ids,
    'and with the one before, in the same order',
  )
})

test('a run whose transaction comes to nothing holds back nothing', async (t) => {
  const { someone, other, rowOf, database } = await ownerOf(await platformOf())
  const open = await database.transaction()
  t.teardown(() => (open.isCompleted() ? undefined : open.rollback()))
  await open('runs').insert(rowOf(new Date(), 1))
  const kept = rowOf(new Date(), 1, other.id)
  await database('runs').insert(kept)
  await open.rollback()
  t.deepEqual((await followUntil(1, someone, runs.listRuns)).ids, [kept.id])
})

test('runs of one agent are followed in the order of their sequence, with filters', async (t) => {
  const { someone, agent, rowOf, database } = await ownerOf(await platformOf())
  const rows = [3, 1, 2].map((sequence) => rowOf(new Date(Date.now() - sequence * 1000), sequence))
  await database('runs').insert(rows)
  const ofAgent = { agentId: agent.id }
  const { ids, cursor } = await follow(someone, runs.listRuns, undefined, ofAgent)
  t.deepEqual(
    ids,
    [rows[1], rows[2], rows[0]].map((row) => row?.id),
  )
  const next = rowOf(new Date(0), 4)
  await database('runs').insert(next)
  t.deepEqual((await follow(someone, runs.listRuns, cursor, ofAgent)).ids, [next.id])
  t.deepEqual((await follow(someone, runs.listRuns, undefined, { ...ofAgent, status: 'failed' })).ids, [])
})

test('an agent that is moved comes into the list of its new owner, and a workspace into that of a new member', async (t) => {
  const platform = await platformOf()
  const owner = await customer(platform, 'team')
  const agent = await agentOf(owner)
  const { id: workspaceId } = await workspaceOf(owner)
  const listing = agents.listAgents as unknown as Listing
  const there = await follow(owner, listing, undefined, { workspaceId })
  await agentOf(owner, { name: 'Newer' })
  const { id: second } = await agentOf(owner, { workspaceId })
  const seen = await followUntil(1, owner, listing, there.cursor, { workspaceId })
  t.deepEqual(seen.ids, [second])
  await call(owner, moves.moveThings, { body: { agentIds: [agent.id], workspaceId } })
  t.deepEqual(
    (await followUntil(1, owner, listing, seen.cursor, { workspaceId })).ids,
    [agent.id],
    'although it is older',
  )

  const member: Person = await person(platform)
  const ofWorkspaces = workspaces.listWorkspaces as unknown as Listing
  const { cursor } = await follow(member, ofWorkspaces)
  await join(platform, workspaceId, member, 'viewer')
  t.deepEqual((await followUntil(1, member, ofWorkspaces, cursor)).ids, [workspaceId])
})

test('a database that was restored on another cluster goes on behind the cursors that it gave out before', async (t) => {
  const platform = await startPlatform(t)
  const { database } = platform.services
  const someone = await customer(platform)
  const before = await agentOf(someone)
  const listing = agents.listAgents as unknown as Listing
  const { ids, cursor } = await followUntil(1, someone, listing)
  t.deepEqual(ids, [before.id])
  const [, number] = Buffer.from(cursor, 'base64url').toString().split(':')
  const ahead = Buffer.from(`agents>:${Number(number) + 1_000_000}`).toString('base64url')
  const refused = await call(someone, listing, { query: { order: 'arrival', cursor: ahead } })
  t.is(refused.status, 400, 'a number that no transaction has had')
  t.regex(refused.failure.error, /from a backup\. Start again/)

  await settleArrivals(database)
  t.is(
    await database('arrivals')
      .first('base')
      .then(({ base }) => Number(base)),
    0,
    'nothing happens on the same one',
  )
  await database('arrivals').update({ cluster: 1 })
  await settleArrivals(database)
  const after = await agentOf(someone)
  t.deepEqual((await followUntil(1, someone, listing, cursor)).ids, [after.id])
  t.deepEqual(
    (await followUntil(1, someone, listing, ahead)).ids,
    [after.id],
    'also behind what was lost since the backup',
  )
})
