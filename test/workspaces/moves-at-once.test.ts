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
  const { database } = platform.services
  return { platform, database, sites, owner, member, workspaceId, userId: await userIdOf(member) }
}

type Things = { agentIds?: string[]; entryIds?: string[]; workspaceId?: string }
/** 200, or the code of the refusal. */
const move = async (by: Client, body: Things) => {
  const answer = await call(by, moves.moveThings, { body })
  return answer.status === 200 ? answer.status : answer.failure.code
}

const seen = async (by: Client, agentId: string) =>
  (await call(by, agents.getAgent, { params: { agentId } })).status === 200

const eight = Array.from({ length: 8 }, (_, index) => index)

test.serial('eight moves at once, to and fro, leave everything in one place', async (t) => {
  const { database, sites, owner, member, workspaceId } = await open()
  const entryId = await connectBadTools(member, sites)
  const agent = await agentOf(member, { sites: [{ vaultEntryId: entryId }] })
  const things = { agentIds: [agent.id], entryIds: [entryId] }
  const answers = await Promise.all(
    eight.map((index) => move(member, { ...things, ...(index % 2 === 0 && { workspaceId }) })),
  )
  t.deepEqual(new Set(answers), new Set([200]))
  const there = await Agent.query(database).findById(agent.id).throwIfNotFound()
  t.is((await VaultEntry.query(database).findById(entryId).throwIfNotFound()).ownerId, there.ownerId)

  const remove = () => call(member, agents.deleteAgent, { params: { agentId: agent.id } })
  const four = eight.slice(4)
  const [removals] = await Promise.all([
    Promise.all(four.map(remove)),
    Promise.all(four.map(() => move(member, { ...things, workspaceId }))),
  ])
  // Those that were under way at the old place are refused, maybe all.
  t.true(removals.every(({ status }) => [204, 404].includes(status)))
  t.is(
    await seen(owner, agent.id),
    removals.every(({ status }) => status === 404),
  )
})

test.serial('deliveries during a move are accepted once each, in order, for whoever had the agent then', async (t) => {
  const { platform, database, owner, member, workspaceId } = await open()
  const agent = await webhookAgent(member, { systemPrompt: '[[say Done.]]' })
  const [receipts, moved] = await Promise.all([
    Promise.all(eight.map((index) => deliver(platform, agent, { index }))),
    Promise.all(eight.map((index) => move(member, { agentIds: [agent.id], ...(index % 2 === 0 && { workspaceId }) }))),
  ])
  t.true(receipts.every(({ status }) => status === 202))
  for (const code of moved) t.true(code === 200 || code === 'AGENT_ALREADY_RUNNING', String(code))
  await allEnded((await seen(owner, agent.id)) ? owner : member, agent, 60)
  const rows = await Run.query(database).where({ agentId: agent.id }).orderBy('sequence')
  t.deepEqual(rows.map(({ id }) => id).toSorted(), receipts.map(({ body }) => body.runId).toSorted())
  const { ownerId, movedSequence } = await Agent.query(database).findById(agent.id).throwIfNotFound()
  for (const [index, run] of rows.entries()) {
    t.like(run, { sequence: index + 1, status: 'completed' })
    if (run.sequence > (movedSequence ?? 0)) t.is(run.ownerId, ownerId, 'a run since the last move is of who has it')
  }
})

test.serial('what waits for a move to be committed sees the new owner, and not the one from before', async (t) => {
  const { platform, database, sites, member, userId, workspaceId } = await open()
  const entryId = await connectBadTools(member, sites)
  const [agent, other] = [await agentOf(member), await agentOf(member)]

  /** Does something while a move of all this is not committed yet, commits it then, and moves everything back. */
  async function during<T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> {
    const trx = await database.transaction()
    await trx('agentQueues').where({ agentId: agent.id }).forUpdate()
    await trx('agents').where({ id: agent.id }).update({ ownerId: workspaceId, movedAt: new Date(), movedSequence: 0 })
    await trx('vaultEntries').where({ id: entryId }).update({ ownerId: workspaceId })
    const working = Promise.allSettled([work()])
    await untilBlocked(database)
    await trx.commit()
    const [settled] = await working
    await database('agents').where({ id: agent.id }).update({ ownerId: userId })
    await database('vaultEntries').where({ id: entryId }).update({ ownerId: userId })
    return settled
  }
  const request = { agentId: agent.id, trigger: 'manual', requestId: newId() } as const
  const accept = (ownerId?: string) =>
    database.transaction(
      async (trx) => (await platform.services.runs.accept.within(trx, { ...request, ownerId })).receipt,
    )

  const accepted = await during(() => accept())
  t.is(accepted.status, 'fulfilled')
  const runId = accepted.status === 'fulfilled' ? accepted.value.runId : ''
  t.is((await Run.query(database).findById(runId).throwIfNotFound()).ownerId, workspaceId)
  t.like(await during(() => accept(userId)), { status: 'rejected', reason: { code: 'AGENT_NOT_FOUND' } })
  const named = await during(() =>
    call(member, agents.updateAgent, { params: { agentId: other.id }, body: { sites: [{ vaultEntryId: entryId }] } }),
  )
  t.like(named, { value: { failure: { code: 'VALIDATION_ERROR', details: [{ path: 'sites' }] } } })
})

test.serial('the role counts that one has when things change hands', async (t) => {
  const { platform, owner, member, workspaceId, userId } = await open()
  const [shared, own] = [await agentOf(owner, { workspaceId }), await agentOf(member)]
  const reach = reachOf(userId, [{ workspaceId, role: 'member', closedBy: null }])
  const late = (target: string, { id }: { id: string }) =>
    platform.services.moves.move({ userId, reach }, { userId, via: 'login' }, target, { agentIds: [id], entryIds: [] })
  const params = { workspaceId, userId }
  await call(owner, members.changeRole, { params, body: { role: 'viewer' } })
  await t.throwsAsync(late(userId, shared), { code: 'PERMISSION_DENIED' })
  await call(owner, members.removeMember, { params })
  await t.throwsAsync(late(userId, shared), { code: 'WORKSPACE_NOT_FOUND' })
  await t.throwsAsync(late(workspaceId, own), { code: 'WORKSPACE_NOT_FOUND' })
  t.true(await seen(owner, shared.id))
})

test.serial('moves at once never exceed a limit', async (t) => {
  const { database, owner, member, userId, workspaceId } = await open()
  await database('accounts').where({ ownerId: userId }).update({ limits: '{"agents":3}' })
  const made = await Promise.all(eight.slice(2).map(() => agentOf(owner, { workspaceId })))
  const answers = await Promise.all(made.map(({ id }) => move(member, { agentIds: [id] })))
  const refused = 'AGENT_LIMIT_REACHED'
  t.deepEqual(answers.map(String).toSorted(), ['200', '200', '200', refused, refused, refused])
})
