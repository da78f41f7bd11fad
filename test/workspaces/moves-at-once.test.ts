// @promise moves
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as members from '../../api/members.ts'
import * as moves from '../../api/moves.ts'
import { Agent } from '../../src/agents/agent.ts'
import { newId } from '../../src/ids.ts'
import { reachOf } from '../../src/owners/reach.ts'
import { Run } from '../../src/runs/run.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { call, type Client } from '../helpers/client.ts'
import { untilBlocked } from '../helpers/hold.ts'
import { agentOf, connectBadTools, customer, deliver, webhookAgent } from '../helpers/people.ts'
import { allEnded, openStage } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* Moves, and what happens to the same agents and sites at the same time. */

// One test after the other: some wait until anybody waits for a lock.
const stage = forWholeFile(test, 'moves at once', (t) => openStage(t))

async function open() {
  const { platform, sites } = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await customer(platform)
  await join(platform, workspaceId, member, 'member')
  return { platform, sites, owner, member, workspaceId, userId: await userIdOf(member) }
}

type Things = { agentIds?: string[]; entryIds?: string[]; workspaceId?: string }
const move = (by: Client, body: Things) => call(by, moves.moveThings, { body })

const seen = async (by: Client, agentId: string) =>
  (await call(by, agents.getAgent, { params: { agentId } })).status === 200

const codeOrStatus = (answer: Awaited<ReturnType<typeof move>>) =>
  answer.status === 200 ? answer.status : answer.failure.code

test.serial('eight moves at once, to and fro, leave everything in one place', async (t) => {
  const { sites, owner, member, workspaceId } = await open()
  const entryId = await connectBadTools(member, sites)
  const agent = await agentOf(member, { sites: [{ vaultEntryId: entryId }] })
  const things = { agentIds: [agent.id], entryIds: [entryId] }
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => move(member, { ...things, ...(index % 2 === 0 && { workspaceId }) })),
  )
  t.deepEqual(new Set(answers.map(codeOrStatus)), new Set([200]))
  const { database } = (await stage()).platform.services
  const there = await Agent.query(database).findById(agent.id).throwIfNotFound()
  const entry = await VaultEntry.query(database).findById(entryId).throwIfNotFound()
  t.is(there.ownerId, entry.ownerId)
  const competing = await Promise.all([
    ...Array.from({ length: 4 }, () => move(member, { ...things, workspaceId })),
    ...Array.from({ length: 4 }, () => call(member, agents.deleteAgent, { params: { agentId: agent.id } })),
  ])
  t.true(competing.every(({ status }) => [200, 204, 404].includes(status)))
  // Those that were under way at the old place are refused, maybe all.
  t.is(
    await seen(owner, agent.id),
    competing.every(({ status }) => status !== 204),
  )
})

test.serial('deliveries during a move are accepted once each, in order, for whoever had the agent then', async (t) => {
  const { platform, owner, member, workspaceId } = await open()
  const agent = await webhookAgent(member, { systemPrompt: '[[say Done.]]' })
  const deliveries = Array.from({ length: 8 }, (_, index) => deliver(platform, agent, { index }))
  const moved: string[] = []
  const tries = Array.from({ length: 8 }, async (_, index) => {
    const answer = await move(member, { agentIds: [agent.id], ...(index % 2 === 0 && { workspaceId }) })
    moved.push(String(codeOrStatus(answer)))
  })
  const receipts = await Promise.all(deliveries)
  await Promise.all(tries)
  t.true(receipts.every(({ status }) => status === 202))
  const by = (await seen(owner, agent.id)) ? owner : member
  await allEnded(by, agent, 60)
  const { database } = platform.services
  const rows = await Run.query(database).where({ agentId: agent.id }).orderBy('sequence')
  t.deepEqual(
    rows.map(({ id }) => id).toSorted((one, other) => (one < other ? -1 : 1)),
    receipts.map(({ body }) => body.runId).toSorted((one, other) => (one < other ? -1 : 1)),
  )
  t.deepEqual(
    rows.map(({ sequence }) => sequence),
    Array.from(rows, (_, index) => index + 1),
  )
  t.true(rows.every(({ status }) => status === 'completed'))
  const current = await Agent.query(database).findById(agent.id).throwIfNotFound()
  const since = rows.filter(({ sequence }) => sequence > (current.movedSequence ?? 0))
  t.true(
    since.every(({ ownerId }) => ownerId === current.ownerId),
    'a run after the last move belongs to who has the agent',
  )
  t.true(
    moved.every((code) => code === '200' || code === 'AGENT_ALREADY_RUNNING'),
    moved.join(),
  )
})

test.serial('what waits for a move to be committed sees the new owner, and not the one from before', async (t) => {
  const { platform, sites, member, workspaceId } = await open()
  const { database, runs } = platform.services
  const entryId = await connectBadTools(member, sites)
  const agent = await agentOf(member)

  /** Does something while a move of all this is not committed yet, and commits it then. */
  async function during<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
    const trx = await database.transaction()
    await trx('agentQueues').where({ agentId: agent.id }).forUpdate()
    await trx('agents').where({ id: agent.id }).update({ ownerId: workspaceId, movedAt: new Date(), movedSequence: 0 })
    await trx('vaultEntries').where({ id: entryId }).update({ ownerId: workspaceId })
    const working = Promise.allSettled([work()])
    await untilBlocked(database)
    await trx.commit()
    return (await working)[0]
  }
  const back = async () => {
    const ownerId = await userIdOf(member)
    await database('agents').where({ id: agent.id }).update({ ownerId })
    await database('vaultEntries').where({ id: entryId }).update({ ownerId })
  }
  const request = { agentId: agent.id, trigger: 'manual', requestId: newId() } as const
  const accept = (ownerId?: string) =>
    database.transaction(async (trx) => (await runs.accept.within(trx, { ...request, ownerId })).receipt)

  const accepted = await during(() => accept())
  t.is(accepted.status, 'fulfilled')
  const runId = accepted.status === 'fulfilled' ? accepted.value.runId : ''
  t.is((await Run.query(database).findById(runId).throwIfNotFound()).ownerId, workspaceId)

  await back()
  const asked = await during(async () => accept(await userIdOf(member)))
  t.like(asked, { status: 'rejected', reason: { code: 'AGENT_NOT_FOUND' } })

  await back()
  const other = await agentOf(member)
  const named = await during(() =>
    call(member, agents.updateAgent, { params: { agentId: other.id }, body: { sites: [{ vaultEntryId: entryId }] } }),
  )
  t.like(named, { value: { failure: { code: 'VALIDATION_ERROR', details: [{ path: 'sites' }] } } })
})

test.serial('the role counts that one has when things change hands', async (t) => {
  const { platform, owner, member, workspaceId, userId } = await open()
  const { id } = await agentOf(owner, { workspaceId })
  const reach = reachOf(userId, [{ workspaceId, role: 'member', closedBy: null }])
  const late = (target: string, agentId: string) =>
    platform.services.moves.move({ userId, reach }, { userId, via: 'login' }, target, {
      agentIds: [agentId],
      entryIds: [],
    })
  const params = { workspaceId, userId }
  await call(owner, members.changeRole, { params, body: { role: 'viewer' } })
  t.like(await t.throwsAsync(late(userId, id)), { code: 'PERMISSION_DENIED' })
  await call(owner, members.removeMember, { params })
  t.like(await t.throwsAsync(late(userId, id)), { code: 'WORKSPACE_NOT_FOUND' })
  const own = await agentOf(member)
  t.like(await t.throwsAsync(late(workspaceId, own.id)), { code: 'WORKSPACE_NOT_FOUND' })
  t.true(await seen(owner, id))
})

test.serial('moves at once never exceed a limit', async (t) => {
  const { platform, owner, workspaceId } = await open()
  const someone = await customer(platform)
  await join(platform, workspaceId, someone, 'member')
  const { database } = platform.services
  await database('accounts')
    .where({ ownerId: await userIdOf(someone) })
    .update({ limits: '{"agents":3}' })
  const made = await Promise.all(Array.from({ length: 6 }, () => agentOf(owner, { workspaceId })))
  const answers = await Promise.all(made.map(({ id }) => move(someone, { agentIds: [id] })))
  t.is(answers.filter(({ status }) => status === 200).length, 3)
  t.is(answers.filter((answer) => codeOrStatus(answer) === 'AGENT_LIMIT_REACHED').length, 3)
})
