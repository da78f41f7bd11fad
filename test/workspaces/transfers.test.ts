// @promise roles
import test from 'ava'
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
import { movableClock } from '../helpers/clock.ts'
import { agentOf, customer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, verify, workspaceOf } from '../helpers/workspaces.ts'

/* A workspace is handed over: who owns it, who pays, and what is left with whom. */

const clock = movableClock(new Date().toISOString())
const house = forWholeFile(test, 'transfers', (t) => startPlatform(t, { clock }))

/** A workspace, its owner, and a member who can take it over. */
async function open(tier = 'team') {
  const platform = await house()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const taker = await customer(platform, tier)
  await verify(platform, taker)
  await join(platform, workspaceId, taker, 'member')
  const params = { workspaceId }
  const takerId = await userIdOf(taker)
  const offer = (by: Person = owner, userId = takerId, more = {}) =>
    call(by, transfers.offerWorkspace, { params, body: { userId, password: by.password, ...more } })
  const accept = (by: Client = taker) => call(by, transfers.acceptTransfer, { params })
  const withdraw = (by: Client = owner) => call(by, transfers.withdrawTransfer, { params })
  const read = async (by: Client) => (await call(by, workspaces.getWorkspace, { params })).body
  const remove = (by: Client) => call(by, workspaces.deleteWorkspace, { params })
  const ownerId = await userIdOf(owner)
  return { platform, owner, ownerId, taker, takerId, workspaceId, params, offer, accept, withdraw, read, remove }
}

type Opened = Awaited<ReturnType<typeof open>>

/** The step of a run, which holds credits of whoever pays when it begins. */
async function step({ platform, workspaceId }: Opened, runId = newId()) {
  const { database, billing: services } = platform.services
  const { credits } = services
  const used = { steps: 0, credits: 0, inputTokens: 0, outputTokens: 0 }
  const holding = () =>
    database.transaction(async (trx) => {
      await services.account(workspaceId, trx)
      return credits.hold(trx, { ownerId: workspaceId, subjectId: runId, step: 1, used })
    })
  const charge = () =>
    database.transaction((trx) =>
      credits.chargeStep(trx, { ownerId: workspaceId, runId, step: 1, credits: 7, tokens: 1 }),
    )
  return { begun: await holding(), charge, runId }
}

const ledgerOf = async (by: Client, query = {}) =>
  (await call(by, billing.listLedger, { query })).body.items.filter(({ runId }) => runId !== null)

test('an owner hands a workspace over to a member, and the account of the new owner pays from then on', async (t) => {
  const opened = await open()
  const { platform, owner, ownerId, taker, takerId, workspaceId, offer, accept, read, remove } = opened
  const { credits } = platform.services.billing
  const before = await step(opened)
  await before.charge()
  const underWay = await step(opened)
  t.truthy(underWay.begun)

  const { body: offered } = await offer()
  t.is(offered.userId, takerId)
  t.deepEqual([(await read(owner)).transfer, (await read(taker)).transfer], [offered, offered])
  const other = await memberOf(platform, workspaceId, 'admin')
  t.is((await read(other)).transfer, null, 'nobody else is told')
  t.is((await read(owner)).payerId, ownerId, 'an offer changes nothing')

  t.like((await accept()).body, { workspaceId, role: 'owner' })
  t.like((await accept()).body, { role: 'owner' }, 'safe to repeat')
  t.like(await read(taker), { payerId: takerId, role: 'owner', transfer: null })
  t.like(await read(owner), { payerId: takerId, role: 'admin', transfer: null })

  await underWay.charge()
  await underWay.charge()
  t.deepEqual(
    (await ledgerOf(owner)).map(({ runId }) => runId),
    [before.runId],
    'the past stays with the old owner',
  )
  t.deepEqual(
    (await ledgerOf(taker)).map(({ runId, credits: each }) => [runId, each]),
    [[underWay.runId, -7]],
  )
  t.is((await ledgerOf(taker, { workspaceId })).length, 2, 'its own ledger has both')
  t.deepEqual(await platform.services.database('credit_holds').where({ workspaceId }), [])
  t.is((await credits.current(workspaceId)).ownerId, takerId)

  const told = async (by: Client) =>
    (await call(by, notifications.listNotifications)).body.items.map(({ kind }) => kind).toSorted()
  t.deepEqual(await told(owner), ['workspace_handed_over'])
  t.deepEqual(await told(taker), ['workspace_handed_over', 'workspace_offered'])
  const log = await platform.services
    .database('audit_entries')
    .where({ subjectId: workspaceId, action: 'acceptTransfer' })
  t.deepEqual(
    log.map((entry: { ownerId: string }) => entry.ownerId).toSorted(),
    [workspaceId, ownerId, takerId].toSorted(),
  )

  t.is((await remove(owner)).failure.code, 'PERMISSION_DENIED', 'the old owner does not delete it any more')
  await call(owner, auth.deleteAccount, { body: { password: owner.password } })
  t.like(await read(taker), { open: true }, 'nor does the deletion of the old account')
})

test('only the owner offers, with the password, and only to another member', async (t) => {
  const { platform, owner, taker, ownerId, workspaceId, offer } = await open()
  const admin = await memberOf(platform, workspaceId, 'admin')
  t.is((await offer(admin)).failure.code, 'PERMISSION_DENIED')
  t.is((await offer(taker)).failure.code, 'PERMISSION_DENIED')
  t.is((await offer(owner, undefined, { password: 'not the password' })).failure.code, 'UNAUTHORIZED')
  t.is((await offer(owner, newId())).failure.code, 'MEMBER_NOT_FOUND')
  t.is((await offer(owner, 'nobody')).failure.code, 'VALIDATION_ERROR')
  t.is((await offer(owner, ownerId)).failure.code, 'VALIDATION_ERROR')
  t.is((await offer(await customer(platform))).failure.code, 'WORKSPACE_NOT_FOUND')
})

test('an offer is open until it is withdrawn, declined, replaced or seven days old, or the member leaves', async (t) => {
  const { platform, owner, taker, takerId, workspaceId, offer, accept, withdraw, read } = await open()
  const other = await memberOf(platform, workspaceId, 'viewer')
  const ends = {
    withdrawn: async () => t.is((await withdraw()).status, 204),
    declined: async () => t.is((await withdraw(taker)).status, 204),
    replaced: async () => t.is((await offer(owner, await userIdOf(other))).status, 200),
    late: async () => {
      const row = platform.services.database('members').where({ workspaceId, userId: takerId })
      t.is(await row.update({ offeredUntil: clock.now() }), 1)
    },
  }
  for (const [how, end] of Object.entries(ends)) {
    t.is((await offer()).status, 200, how)
    t.is((await withdraw(other)).failure.code, 'NOT_FOUND', 'it is nobody else’s')
    await end()
    t.is((await accept()).failure.code, 'NOT_FOUND', how)
    t.is((await withdraw(taker)).failure.code, 'NOT_FOUND', how)
  }
  await offer()
  await call(taker, members.removeMember, { params: { workspaceId, userId: takerId } })
  t.is((await read(owner)).transfer, null)
  t.is((await accept()).failure.code, 'WORKSPACE_NOT_FOUND')
})

test('who accepts has a verified address, the tier, and room for everything in the workspace', async (t) => {
  const { platform, owner, taker, takerId, workspaceId, offer, accept, read } = await open()
  const { database } = platform.services
  const account = database('accounts').where({ ownerId: takerId })
  const limited = (limits: object | null) => account.clone().update({ limits: limits && JSON.stringify(limits) })
  await agentOf(owner, { workspaceId })
  await offer()
  const refused = async (code: ErrorCode, limits: object) => {
    await limited(limits)
    t.is((await accept()).failure.code, code, JSON.stringify(limits))
  }
  await refused('AGENT_LIMIT_REACHED', { agents: 0 })
  await refused('FEATURE_LIMIT_REACHED', { workspaces: 0 })
  await refused('FEATURE_LIMIT_REACHED', { workspaceMembers: 1 })
  await limited(null)
  await database('users').where({ id: takerId }).update({ emailVerifiedAt: null })
  t.is((await accept()).failure.code, 'PERMISSION_DENIED')
  await verify(platform, taker)
  await account.clone().update({ tier: 'pro' })
  t.is((await accept()).failure.code, 'WORKSPACE_REQUIRED')
  await account.clone().update({ tier: 'team' })
  t.is((await read(owner)).role, 'owner', 'nothing was changed by what was refused')
  t.is((await accept()).status, 200)
})

test.serial('what rested for the limits of the old owner goes on with those of the new one', async (t) => {
  const { platform, owner, ownerId, workspaceId, offer, accept } = await open()
  const { database } = platform.services
  const agent = await agentOf(owner, { workspaceId })
  await database('accounts')
    .where({ ownerId })
    .update({ fittedTier: null, limits: '{"agents":0}', lookAt: clock.now() })
  await runRound(platform.services, 'billing')
  const resting = async () =>
    ((await database('agents').where({ id: agent.id }).first()) as { exceedingSince: Date | null }).exceedingSince
  t.truthy(await resting())
  t.is((await offer()).status, 200)
  t.is((await accept()).status, 200)
  await runRound(platform.services, 'billing')
  t.is(await resting(), null)
})

test('an account that is to be deleted hands nothing over, and takes nothing over', async (t) => {
  for (const who of ['owner', 'taker'] as const) {
    const opened = await open()
    await opened.offer()
    const leaver = opened[who]
    const [answer] = await Promise.all([
      opened.accept(),
      call(leaver, auth.deleteAccount, { body: { password: leaver.password } }),
    ])
    const { payerId, deletedAt } = (await opened.platform.services
      .database('workspaces')
      .where({ id: opened.workspaceId })
      .first()) as { payerId: string; deletedAt: Date | null }
    t.is(payerId, answer.status === 200 ? opened.takerId : opened.ownerId, who)
    t.is(deletedAt, null)
    if (answer.status !== 200) t.is(answer.failure.code, 'PERMISSION_DENIED', who)
    t.is((await opened.accept()).status === 200, answer.status === 200 && who === 'owner', who)
  }
})

test('an offer that is withdrawn and accepted at once comes to one of the two, and the workspace has one owner', async (t) => {
  for (let round = 0; round < 2; round += 1) {
    const { platform, workspaceId, ownerId, takerId, offer, accept, withdraw } = await open()
    await offer()
    const [accepted, withdrawn] = await Promise.all([accept(), withdraw()])
    t.is(accepted.status === 200, withdrawn.status !== 204)
    const owners = await platform.services.database('members').where({ workspaceId, role: 'owner' })
    const expected = accepted.status === 200 ? takerId : ownerId
    t.deepEqual(
      owners.map(({ userId }: { userId: string }) => userId),
      [expected],
    )
  }
})

test('a workspace that is deleted and accepted at once is either gone or the new owner’s', async (t) => {
  for (let round = 0; round < 2; round += 1) {
    const { platform, workspaceId, owner, takerId, offer, accept, remove } = await open()
    await offer()
    const [accepted, removed] = await Promise.all([accept(), remove(owner)])
    t.is(accepted.status === 200, removed.status !== 204)
    const row = await platform.services.database('workspaces').where({ id: workspaceId }).first()
    t.is(row.deletedAt === null, accepted.status === 200)
    if (accepted.status === 200) t.is(row.payerId, takerId)
  }
})

test('steps that begin and end while the workspace is handed over are charged once each', async (t) => {
  const opened = await open()
  const { owner, taker, offer, accept } = opened
  await offer()
  const steps = await Promise.all(Array.from({ length: 6 }, () => step(opened)))
  await Promise.all([
    ...steps.slice(0, 3).map(({ charge }) => charge()),
    accept(),
    ...steps.slice(3).map(({ charge }) => charge()),
  ])
  await Promise.all(steps.map(({ charge }) => charge()))
  const charged = [...(await ledgerOf(owner)), ...(await ledgerOf(taker))].map(({ runId }) => String(runId))
  t.deepEqual(charged.toSorted(), steps.map(({ runId }) => runId).toSorted())
})

test('limits hold between accepting and making at once', async (t) => {
  const opened = await open()
  const { platform, owner, workspaceId, taker, takerId, offer, accept } = opened
  await platform.services.database('accounts').where({ ownerId: takerId }).update({ limits: '{"agents":1}' })
  await offer()
  await Promise.allSettled([agentOf(owner, { workspaceId }), accept(), agentOf(taker), agentOf(owner, { workspaceId })])
  const isTaken = (await opened.read(taker)).payerId === takerId
  const owners = isTaken ? [takerId, workspaceId] : [takerId]
  const count = await platform.services.database('agents').whereIn('ownerId', owners).count()
  t.true(Number((count[0] as { count: string }).count) <= 1)
})
