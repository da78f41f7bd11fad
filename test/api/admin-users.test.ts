// @promise suspension
import test from 'ava'
import * as adminUsers from '../../api/admin-users.ts'
import * as overview from '../../api/admin-overview.ts'
import * as admin from '../../api/admin.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as why from '../../api/why.ts'
import { createOverview } from '../../src/admin/overview.ts'
import { later } from '../../src/clock.ts'
import { lockQueue } from '../../src/runs/agent-queue.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { mailsTo } from '../helpers/mailbox.ts'
import { agentOf, customer, deliver, ended, person, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { current, sessionOf } from '../helpers/sessions.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

const waitersStatement = `
  select 1 from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock' and query like '%agent_queues%for update%'`

const open = forWholeFile(test, 'admins of users', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  const root = await adminOf(platform)
  const of = async (someone: Person) => ({ params: { userId: await userIdOf(someone) } })
  const suspend = async (someone: { params: { userId: string } }, reason = 'Too loud') =>
    call(root, adminUsers.suspendUser, { ...someone, body: { reason } })
  const lift = (someone: { params: { userId: string } }) => call(root, adminUsers.liftUser, someone)
  return { platform, root, of, suspend, lift }
})

test('a suspended user is kept out by every credential, with the reason, and all of them are good again afterwards', async (t) => {
  const { platform, of, suspend, lift } = await open()
  const someone = await person(platform)
  const { email, password, url } = someone
  const { body: tokens } = await call({ url }, auth.login, { body: { email, password } })
  const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'ci', scopes: ['read'] } })
  const session = await sessionOf(someone)
  const named = await of(someone)
  const tries = async () => [
    await call(someone, auth.me),
    await call({ url, token: key.key }, agents.listAgents),
    await current(someone, session.token),
    await call({ url }, auth.login, { body: { email, password } }),
  ]
  const refresh = () => call({ url }, auth.refresh, { body: { refreshToken: tokens.refreshToken } })
  t.like((await suspend(named)).body, { suspensionReason: 'Too loud' })
  for (const { failure } of [...(await tries()), await refresh()]) {
    t.is(failure.code, 'PERMISSION_DENIED')
    t.regex(failure.error, /suspended .* Nothing has been deleted\. Reason: Too loud/)
  }
  t.is(
    (await call({ url }, auth.login, { body: { email, password: 'a wrong password' } })).failure.code,
    'UNAUTHORIZED',
  )
  t.is((await lift(named)).body.suspendedAt, null)
  for (const { status } of await tries()) t.is(status, 200)
  t.is((await refresh()).status, 200, 'it was not used up')
  t.is((await lift(named)).failure.code, 'NOT_FOUND')
})

test('what a suspended user has started stands still, deliveries are refused, and it goes on where it was', async (t) => {
  const { platform, of, suspend, lift } = await open()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 1]] [[call nothing {}]]' })
  const first = (await deliver(someone, agent, { number: 1 })).body
  const second = (await deliver(someone, agent, { number: 2 })).body
  const named = await of(someone)
  await suspend(named)
  const { failure } = await deliver(someone, agent, { number: 3 })
  t.is(failure.code, 'PERMISSION_DENIED')
  t.regex(failure.error, /suspended.*Send the delivery again/)
  const { services } = platform
  const statusOf = async (id: string) =>
    (await services.database('runs').where({ id }).first('status')).status as string
  await services.runs.reconciler.round(new AbortController().signal)
  t.is(await statusOf(second.runId), 'queued')
  const told = await services.database('notifications').where({ ownerId: agent.ownerId, kind: 'limits_exceeded' })
  t.deepEqual(told, [], 'it rests because of the suspension')
  await lift(named)
  for (const { runId } of [first, second]) t.is((await ended(someone, runId)).status, 'completed')
  const fourth = (await deliver(someone, agent, { number: 3 })).body
  t.is(fourth.sequence, 3)
})

test('of a suspension and its lifting at once, what counts in the end is what was decided last', async (t) => {
  const { platform, of, suspend, lift } = await open()
  const { services } = platform
  const someone = await person(platform)
  const [held, free] = [await agentOf(someone), await agentOf(someone)]
  const named = await of(someone)
  const states = async () => {
    const rows: { id: string; pausedAt: Date | null }[] = await services
      .database('agents')
      .whereIn('id', [held.id, free.id])
    return rows.map(({ pausedAt }) => pausedAt !== null)
  }
  /** Begins the first while an agent cannot be changed, and finishes the second meanwhile. */
  const overtaken = async (first: () => Promise<unknown>, second: () => Promise<unknown>) => {
    const trx = await services.database.transaction()
    await lockQueue(trx, held.id)
    const late = first()
    await eventually(10, 'the first waits for the agent', async () => {
      const { rows } = await services.database.raw<{ rows: unknown[] }>(waitersStatement)
      return rows.length > 0 || undefined
    })
    await second()
    await trx.commit()
    await late
  }
  await suspend(named)
  await overtaken(
    () => lift(named),
    () => suspend(named),
  )
  t.deepEqual(await states(), [true, true])
  await lift(named)
  t.deepEqual(await states(), [false, false])
  await overtaken(
    () => suspend(named),
    () => lift(named),
  )
  t.deepEqual(await states(), [false, false])
})

test('a workspace rests while its owner is suspended, and its members read why', async (t) => {
  const { platform, of, suspend, lift } = await open()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await memberOf(platform, workspaceId, 'member')
  const agent = await agentOf(member, { workspaceId })
  const named = await of(owner)
  await suspend(named)
  const { failure } = await start(member, agent)
  t.is(failure.code, 'WORKSPACE_REQUIRED')
  t.regex(failure.error, /the platform operator has suspended its owner's account/)
  const { causes } = (await call(member, why.whyAgent, { params: { agentId: agent.id } })).body
  t.regex(causes[0]?.action ?? '', /platform operator has suspended/)
  await lift(named)
  t.is((await start(member, agent)).status, 202)
  await suspend(await of(member))
  t.is((await start(owner, await agentOf(owner, { workspaceId }))).status, 202, 'a member takes nobody along')
})

test('no admin can be suspended or deleted, so the last one cannot be locked out', async (t) => {
  const { platform, root, of, suspend } = await open()
  for (const someone of [root, await adminOf(platform)]) {
    const named = await of(someone)
    t.is((await suspend(named)).failure.code, 'PERMISSION_DENIED')
    t.is((await call(root, adminUsers.deleteUser, named)).failure.code, 'PERMISSION_DENIED')
  }
  t.is((await call(root, auth.me)).status, 200)
})

test('an admin gives a tier with its credits, and limits of its own; what exceeds them rests', async (t) => {
  const { platform, root, of } = await open()
  const someone = await person(platform)
  const named = await of(someone)
  const give = (body: object) => call(root, adminUsers.giveTier, { ...named, body })
  t.like((await give({ tier: 'pro' })).body, { tier: 'free', givenTier: 'pro', limits: null })
  t.like((await call(someone, billing.getBilling)).body, { tier: 'pro', balance: 5200, subscription: null })
  const [old, recent] = [await webhookAgent(someone), await agentOf(someone)]
  t.like((await give({ limits: { agents: 1, tokensPerMonth: null } })).body, {
    givenTier: 'pro',
    limits: { agents: 1, tokensPerMonth: null },
  })
  const pausedAt = async ({ id }: { id: string }) =>
    (await call(someone, agents.getAgent, { params: { agentId: id } })).body.pausedAt
  t.deepEqual([await pausedAt(old), (await pausedAt(recent)) !== null], [null, true])
  await t.throwsAsync(agentOf(someone), { message: /AGENT_LIMIT_REACHED/ })
  await give({ limits: null })
  t.is(await pausedAt(recent), null)
  await give({ tier: null })
  t.like((await call(someone, billing.getBilling)).body, { tier: 'free', balance: 5200 })
  t.is((await deliver(someone, old, {})).failure.code, 'TIER_REQUIRED')
  for (const limits of [{ agents: -1 }, { agents: 1.5 }, { requestsPerMinute: 0 }, { sites: 1 }, 'all'])
    t.is((await give({ limits })).failure.code, 'VALIDATION_ERROR')
})

test('an admin deletes an account, which only an admin can keep, and its user is told', async (t) => {
  const { platform, root, of, suspend, lift } = await open()
  const someone = await person(platform)
  const { email, password, url } = someone
  const named = await of(someone)
  const { suspendedAt } = (await suspend(named, 'Too fast')).body
  t.like((await suspend(named)).body, { suspendedAt, suspensionReason: 'Too loud' })
  const { body } = await call(root, adminUsers.deleteUser, named)
  t.like(body, { suspendedAt, suspensionReason: 'Too loud' })
  t.truthy(body.deletionDueAt)
  t.regex((await mailsTo(platform, email))[0]?.text ?? '', /The operator of .* has closed your account/)
  const logIn = () => call({ url }, auth.login, { body: { email, password } })
  t.is((await logIn()).failure.code, 'PERMISSION_DENIED')
  t.is((await call(root, adminUsers.deleteUser, named)).body.deletionDueAt, body.deletionDueAt, 'the first time holds')
  t.is((await call(root, adminUsers.restoreUser, named)).body.deletionDueAt, null)
  await lift(named)
  t.is((await logIn()).status, 200)
})

test('an admin sees the runs that a user pays for, without what is in them, and cancels one', async (t) => {
  const { platform, root, of } = await open()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const [own, shared] = [await agentOf(owner, { systemPrompt: '[[sleep 20]]' }), await agentOf(owner, { workspaceId })]
  const [first, second] = [(await start(owner, own)).body, (await start(owner, shared)).body]
  const { items } = (await call(root, adminUsers.listRunsOfUser, await of(owner))).body
  t.deepEqual(items.map(({ id }) => id).toSorted(), [first.id, second.id].toSorted())
  t.false(JSON.stringify(items).includes('sleep'))
  const cancelled = await call(root, adminUsers.cancelRunOfUser, { params: { runId: first.id } })
  t.is(cancelled.status, 200)
  t.like(await ended(owner, first.id), { status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' })
  const asked = (await timelineOf(owner, first.id)).find(({ kind }) => kind === 'cancel.requested')
  t.deepEqual(asked?.data, { by: 'operator' })
  await ended(owner, second.id)
  const query = { status: 'cancelled' as const }
  const ofStatus = (await call(root, adminUsers.listRunsOfUser, { ...(await of(owner)), query })).body.items
  t.like(ofStatus, [{ id: first.id }])
  const again = await call(root, adminUsers.cancelRunOfUser, { params: { runId: second.id } })
  t.is(again.failure.code, 'RUN_NOT_CANCELLABLE')
})

test('an admin finds an account by its address, and sees who pays for a workspace', async (t) => {
  const { platform, root } = await open()
  const owner = await customer(platform, 'team')
  const { id } = await workspaceOf(owner)
  await memberOf(platform, id, 'viewer')
  const found = async (email: string) => (await call(root, overview.listUsers, { query: { email } })).body.items
  t.like(await found(owner.email.toUpperCase()), [{ id: await userIdOf(owner), tier: 'team', givenTier: null }])
  for (const nobody of ['nobody@example.com', 'no address']) t.deepEqual(await found(nobody), [])
  const { items } = (await call(root, overview.listAllWorkspaces, { query: { limit: '100' } })).body
  const payer = { payerId: await userIdOf(owner), payerEmail: owner.email }
  t.like(
    items.find((one) => one.id === id),
    { ...payer, members: 2, deletedAt: null },
  )
})

test('what is counted for admins leaves out what is deleted, and runs that ended a day ago', async (t) => {
  const { platform } = await open()
  const owner = await customer(platform, 'team')
  const [workspace, agent] = [await workspaceOf(owner), await agentOf(owner)]
  const { id } = (await start(owner, agent)).body
  await ended(owner, id)
  // Of what others do meanwhile, nothing is seen in it.
  const trx = await platform.services.database.transaction({ isolationLevel: 'repeatable read' })
  const overview = createOverview({ ...platform.services, database: trx })
  const before = await overview.stats()
  const now = new Date()
  await trx('workspaces').where({ id: workspace.id }).update({ deletedAt: now })
  await trx('agents').where({ id: agent.id }).update({ deletedAt: now })
  await trx('runs')
    .where({ id })
    .update({ endedAt: later(now, -86_401) })
  const after = await overview.stats()
  await trx.rollback()
  const { workspaces, agents: living, endedRuns } = before
  t.deepEqual(after, { ...before, workspaces: workspaces - 1, agents: living - 1, endedRuns: endedRuns - 1 })
})

test('an admin ends the hold that a host has asked for', async (t) => {
  const { platform, root } = await open()
  const host = 'held.of-a-test.example'
  const { services } = platform
  const end = () => call(root, admin.endHold, { params: { host } })
  t.is((await end()).failure.code, 'NOT_FOUND')
  for (const one of [host, `another.${host}`])
    await services.outgoingLimit.hold(one, 600, 'The site responded with 429.')
  const held = async () => (await call(root, admin.listHosts)).body.items.flatMap((one) => (one.held ? [one.host] : []))
  t.deepEqual(await held(), [`another.${host}`, host])
  t.is((await end()).status, 204)
  t.deepEqual(await held(), [`another.${host}`])
})
