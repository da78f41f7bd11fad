// @promise roles
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as members from '../../api/members.ts'
import * as notifications from '../../api/notifications.ts'
import * as transfers from '../../api/transfers.ts'
import * as workspaces from '../../api/workspaces.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { newId } from '../../src/ids.ts'
import { runRound } from '../../src/loops.ts'
import { call, type Client } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, type Person } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { join, memberOf, userIdOf, verify, workspaceOf } from '../helpers/workspaces.ts'

/* A workspace is handed over: who owns it, who pays, and what is left with whom. */

const house = sharedPlatform(test, 'idle')

/** A workspace, its owner, and a member who can take it over. */
async function open() {
  const platform = await house()
  const { database } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const taker = await customer(platform, 'team')
  await verify(platform, taker)
  await join(platform, workspaceId, taker, 'member')
  const params = { workspaceId }
  const [ownerId, takerId] = [await userIdOf(owner), await userIdOf(taker)]
  return {
    platform,
    database,
    owner,
    ownerId,
    taker,
    takerId,
    workspaceId,
    params,
    offer: (by: Person = owner, userId = takerId, more = {}) =>
      call(by, transfers.offerWorkspace, { params, body: { userId, password: by.password, ...more } }),
    accept: (by: Client = taker) => call(by, transfers.acceptTransfer, { params }),
    withdraw: (by: Client = owner) => call(by, transfers.withdrawTransfer, { params }),
    read: async (by: Client) => (await call(by, workspaces.getWorkspace, { params })).body,
    remove: (by: Client = owner) => call(by, workspaces.deleteWorkspace, { params }),
    row: async () =>
      (await database('workspaces').where({ id: workspaceId }).first()) as { payerId: string; deletedAt: Date | null },
    accountOf: (userId: string) => database('accounts').where({ ownerId: userId }),
  }
}

type Opened = Awaited<ReturnType<typeof open>>

/** The step of a run, which holds credits of whoever pays when it begins. */
async function step({ platform, workspaceId: ownerId }: Opened, runId = newId()) {
  const { database, billing: services } = platform.services
  const used = { steps: 0, credits: 0, inputTokens: 0, outputTokens: 0 }
  const begun = await database.transaction(async (trx) => {
    await services.account(ownerId, trx)
    return services.credits.hold(trx, { ownerId, subjectId: runId, step: 1, used })
  })
  const charge = () =>
    database.transaction((trx) => services.credits.chargeStep(trx, { ownerId, runId, step: 1, credits: 7, tokens: 1 }))
  return { begun, charge, runId }
}

/** What the steps of runs have cost. */
const chargesOf = async (by: Client, query = {}) =>
  (await call(by, billing.listLedger, { query })).body.items.flatMap(({ runId, credits }) =>
    runId === null ? [] : [[runId, credits] as const],
  )

test('an owner hands a workspace over to a member, and the account of the new owner pays from then on', async (t) => {
  const opened = await open()
  const { platform, database, owner, ownerId, taker, takerId, workspaceId, offer, accept, read, remove } = opened
  const before = await step(opened)
  await before.charge()
  const underWay = await step(opened)
  t.truthy(underWay.begun)
  const { id: own } = await workspaceOf(owner, 'Another')
  const elsewhere = await open()
  await step(elsewhere)

  const { body: offered } = await offer()
  t.is(offered.userId, takerId)
  t.deepEqual([(await read(owner)).transfer, (await read(taker)).transfer], [offered, offered])
  t.is((await read(await memberOf(platform, workspaceId, 'admin'))).transfer, null, 'nobody else is told')
  t.is((await read(owner)).payerId, ownerId, 'an offer changes nothing')

  t.like((await accept()).body, { workspaceId, role: 'owner' })
  t.like((await accept()).body, { role: 'owner' }, 'safe to repeat')
  t.like(await read(taker), { payerId: takerId, role: 'owner', transfer: null })
  t.like(await read(owner), { payerId: takerId, role: 'admin', transfer: null })

  await underWay.charge()
  await underWay.charge()
  t.deepEqual(await chargesOf(owner), [[before.runId, -7]], 'the past stays with the old owner')
  t.deepEqual(await chargesOf(taker), [[underWay.runId, -7]])
  t.is((await chargesOf(taker, { workspaceId })).length, 2, 'its own ledger has both')
  t.deepEqual(await database('credit_holds').where({ workspaceId }), [])
  const others = await database('credit_holds').where({ workspaceId: elsewhere.workspaceId })
  t.like(others, { 0: { ownerId: elsewhere.ownerId }, length: 1 }, 'what others hold stays theirs')
  const { body: kept } = await call(owner, workspaces.getWorkspace, { params: { workspaceId: own } })
  t.like(kept, { role: 'owner', payerId: ownerId }, 'one workspace changes hands')
  t.is((await platform.services.billing.credits.current(workspaceId)).ownerId, takerId)

  const told = async (by: Client) =>
    (await call(by, notifications.listNotifications)).body.items.map(({ kind }) => kind).toSorted()
  t.deepEqual(await told(owner), ['workspace_handed_over'])
  t.deepEqual(await told(taker), ['workspace_handed_over', 'workspace_offered'])
  const noted: string[] = await database('audit_entries')
    .where({ subjectId: workspaceId, action: 'acceptTransfer' })
    .pluck('owner_id')
  t.deepEqual(noted.toSorted(), [workspaceId, ownerId, takerId].toSorted())

  t.is((await remove()).failure.code, 'PERMISSION_DENIED', 'the old owner does not delete it any more')
  await call(owner, auth.deleteAccount, { body: { password: owner.password } })
  t.like(await read(taker), { open: true }, 'nor does the deletion of the old account')
})

test('a workspace can be handed back, and both are told each time', async (t) => {
  const { platform, owner, ownerId, taker, offer, accept, read } = await open()
  await verify(platform, owner)
  await offer()
  t.is((await accept()).status, 200)
  t.is((await offer(taker, ownerId)).status, 200)
  t.like((await accept(owner)).body, { role: 'owner' })
  t.like(await read(owner), { payerId: ownerId, role: 'owner' })
  t.is((await read(taker)).role, 'admin')
  const query = { kind: 'workspace_handed_over' as const }
  for (const who of [owner, taker])
    t.is((await call(who, notifications.listNotifications, { query })).body.items.length, 2)
})

test('only the owner offers, with the password, and only to another member', async (t) => {
  const { platform, owner, taker, ownerId, workspaceId, offer } = await open()
  const refused = {
    'an admin': [await offer(await memberOf(platform, workspaceId, 'admin')), 'PERMISSION_DENIED'],
    'the taker': [await offer(taker), 'PERMISSION_DENIED'],
    'an outsider': [await offer(await customer(platform)), 'WORKSPACE_NOT_FOUND'],
    'without the password': [await offer(owner, undefined, { password: 'not the password' }), 'UNAUTHORIZED'],
    'to an outsider': [await offer(owner, newId()), 'MEMBER_NOT_FOUND'],
    'to what is no id': [await offer(owner, 'nobody'), 'VALIDATION_ERROR'],
    'to themselves': [await offer(owner, ownerId), 'VALIDATION_ERROR'],
  } as const
  for (const [what, [{ failure }, code]] of Object.entries(refused)) t.is(failure.code, code, what)
})

test('an offer is open until it is withdrawn, declined, replaced or seven days old, or the member leaves', async (t) => {
  const { platform, database, owner, taker, takerId, workspaceId, offer, accept, withdraw, read } = await open()
  const other = await memberOf(platform, workspaceId, 'viewer')
  const row = database('members').where({ workspaceId, userId: takerId })
  const elsewhere = await open()
  await join(platform, elsewhere.workspaceId, taker, 'member')
  t.is((await elsewhere.offer(undefined, takerId)).status, 200)
  const ends = {
    withdrawn: async () => t.is((await withdraw()).status, 204),
    declined: async () => t.is((await withdraw(taker)).status, 204),
    replaced: async () => t.is((await offer(owner, await userIdOf(other))).status, 200),
    late: async () => t.is(await row.clone().update({ offeredUntil: new Date() }), 1),
  }
  for (const [how, end] of Object.entries(ends)) {
    t.is((await offer()).status, 200, how)
    t.is((await withdraw(other)).failure.code, 'NOT_FOUND', 'it is nobody else’s')
    await end()
    t.is((await accept()).failure.code, 'NOT_FOUND', how)
    t.is((await withdraw(taker)).failure.code, 'NOT_FOUND', how)
  }
  await offer()
  const told = (await call(taker, notifications.listNotifications, { query: { kind: 'workspace_offered' } })).body.items
  const offers = told.filter(({ subjectId, consolePage }) => subjectId === workspaceId && consolePage === '/console')
  t.is(offers.length, 5, 'each offer is told of')
  const { offeredUntil } = (await row.clone().first()) as { offeredUntil: Date }
  t.is(Math.round((offeredUntil.getTime() - Date.now()) / 86_400_000), 7)
  await call(taker, members.removeMember, { params: { workspaceId, userId: takerId } })
  t.is((await read(owner)).transfer, null)
  t.is((await accept()).failure.code, 'WORKSPACE_NOT_FOUND')
  t.is((await elsewhere.accept(taker)).status, 200, 'what became of it is nothing to the offer of another workspace')
})

test('who accepts has a verified address, the tier, and room for everything in the workspace', async (t) => {
  const { platform, database, owner, ownerId, taker, takerId, workspaceId, offer, accept, read, accountOf } =
    await open()
  await agentOf(owner, { workspaceId })
  await offer()
  const { id: own } = await workspaceOf(taker)
  const { id: agentId } = await agentOf(taker, { workspaceId: own })
  const refused = async (code: ErrorCode, of: object) => {
    await accountOf(takerId).update(of)
    t.is((await accept()).failure.code, code, JSON.stringify(of))
    await accountOf(takerId).update({ limits: null, tier: 'team' })
  }
  await refused('AGENT_LIMIT_REACHED', { limits: '{"agents":0}' })
  await refused('AGENT_LIMIT_REACHED', { limits: '{"agents":1}' })
  await refused('FEATURE_LIMIT_REACHED', { limits: '{"workspaces":1}' })
  await refused('FEATURE_LIMIT_REACHED', { limits: '{"workspaceMembers":1}' })
  await refused('WORKSPACE_REQUIRED', { tier: 'pro' })
  const [siteId, now] = [newId(), new Date()]
  const times = { manifestFetchedAt: now, manifestCheckedAt: now, renewedAt: now, createdAt: now, updatedAt: now }
  const site = {
    id: siteId,
    ownerId: workspaceId,
    origin: `https://${siteId}.example.com`,
    name: 'A site',
    dialect: 'manifest',
    ...times,
  }
  await database('vault_entries').insert({ ...site, manifest: '{}', authType: 'bearer', credential: 'test.sealed' })
  await refused('VAULT_LIMIT_REACHED', { limits: '{"vaultSites":0}' })
  const suspend = (suspendedAt: Date | null) => database('users').where({ id: ownerId }).update({ suspendedAt })
  await suspend(new Date())
  await refused('PERMISSION_DENIED', { tier: 'team' })
  await suspend(null)
  await database('users').where({ id: takerId }).update({ emailVerifiedAt: null })
  await refused('PERMISSION_DENIED', { tier: 'team' })
  await verify(platform, taker)
  t.is((await read(owner)).role, 'owner', 'nothing was changed by what was refused')
  // What is deleted or over takes no room.
  const { id } = (await call(taker, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })).body
  await accountOf(takerId).update({ limits: '{"agents":1,"workspaces":1,"apiKeys":0}' })
  await call(taker, agents.deleteAgent, { params: { agentId } })
  await call(taker, workspaces.deleteWorkspace, { params: { workspaceId: own } })
  t.is((await accept()).failure.code, 'FEATURE_LIMIT_REACHED', 'of the key')
  await database('api_keys').where({ id }).update({ expiresAt: new Date() })
  t.is((await accept()).status, 200)
})

test.serial('what rested for the limits of the old owner goes on, be it with those of the new one', async (t) => {
  const { platform, database, owner, ownerId, workspaceId, offer, accept, accountOf } = await open()
  const [agent, own] = [await agentOf(owner, { workspaceId }), await agentOf(owner)]
  await accountOf(ownerId).update({ fittedTier: null, limits: '{"agents":0}', lookAt: new Date() })
  const resting = async (id: string) => {
    await runRound(platform.services, 'billing')
    const row = (await database('agents').where({ id }).first()) as { exceedingSince: Date | null }
    return row.exceedingSince
  }
  // Each agent is paused by itself, maybe in a round of somebody else's.
  for (const { id } of [agent, own]) await eventually(20, 'it rests', async () => (await resting(id)) ?? undefined)
  await accountOf(ownerId).update({ limits: '{"agents":1}' })
  t.is((await offer()).status, 200)
  t.is((await accept()).status, 200)
  for (const { id } of [agent, own])
    await eventually(20, 'it goes on', async () => ((await resting(id)) === null ? true : undefined))
  t.pass()
})

test('an account that is to be deleted hands nothing over, and takes nothing over', async (t) => {
  for (const who of ['owner', 'taker'] as const) {
    const opened = await open()
    const { ownerId, takerId, offer, accept, row } = opened
    await offer()
    const leaver = opened[who]
    const [answer] = await Promise.all([
      accept(),
      call(leaver, auth.deleteAccount, { body: { password: leaver.password } }),
    ])
    const isTaken = answer.status === 200
    t.like(await row(), { payerId: isTaken ? takerId : ownerId, deletedAt: null }, who)
    if (!isTaken) t.is(answer.failure.code, 'PERMISSION_DENIED', who)
    t.is((await accept()).status === 200, isTaken && who === 'owner', who)
  }
})

for (const how of ['withdraw', 'remove'] as const) {
  test(`an offer that is accepted at the same time as a ${how} comes to one of the two`, async (t) => {
    for (let round = 0; round < 2; round += 1) {
      const { database, workspaceId, ownerId, takerId, offer, accept, [how]: end, row } = await open()
      await offer()
      const [accepted, ended] = await Promise.all([accept(), end()])
      const isTaken = accepted.status === 200
      t.is(isTaken, ended.status !== 204)
      const { payerId, deletedAt } = await row()
      t.is(deletedAt === null, isTaken || how === 'withdraw')
      if (deletedAt !== null) continue
      const owners: string[] = await database('members').where({ workspaceId, role: 'owner' }).pluck('user_id')
      t.deepEqual([payerId, ...owners], Array(2).fill(isTaken ? takerId : ownerId))
    }
  })
}

test('steps that begin and end while the workspace is handed over are charged once each', async (t) => {
  const opened = await open()
  const { owner, taker, offer, accept } = opened
  await offer()
  const steps = await Promise.all(Array.from({ length: 6 }, () => step(opened)))
  const charge = (some: typeof steps) => some.map((one) => one.charge())
  await Promise.all([...charge(steps.slice(0, 3)), accept(), ...charge(steps.slice(3))])
  await Promise.all(charge(steps))
  const charged = [...(await chargesOf(owner)), ...(await chargesOf(taker))].map(([runId]) => runId)
  t.deepEqual(charged.toSorted(), steps.map(({ runId }) => runId).toSorted())
})

test('limits hold between accepting and making at once', async (t) => {
  const { database, owner, workspaceId, taker, takerId, offer, accept, row, accountOf } = await open()
  await accountOf(takerId).update({ limits: '{"agents":1}' })
  await offer()
  await Promise.allSettled([agentOf(owner, { workspaceId }), accept(), agentOf(taker), agentOf(owner, { workspaceId })])
  const owners = (await row()).payerId === takerId ? [takerId, workspaceId] : [takerId]
  t.true((await database('agents').whereIn('ownerId', owners)).length <= 1)
})
