// @promise deletion
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as adminClock from '../../api/admin-clock.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as exported from '../../api/exports.ts'
import * as members from '../../api/members.ts'
import * as sessions from '../../api/sessions.ts'
import * as workspaces from '../../api/workspaces.ts'
import { openSession } from '../chat/stage.ts'
import { adminOf } from '../helpers/admins.ts'
import { call, type Client } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { mailsTo, resetTokenOf, tokenTo } from '../helpers/mailbox.ts'
import { agentOf, customer, deliver, ended, person, webhookAgent, type Person } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import { current } from '../helpers/sessions.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { emptied, graceIsOver, leave, openStage } from './stage.ts'

/* The time in which an account can be restored. */

const stage = forWholeFile(test, 'grace', (t) => openStage(t))

const logIn = async (someone: Person): Promise<Person> => {
  const { email, password } = someone
  const { body } = await call(someone, auth.login, { body: { email, password } })
  return { ...someone, token: body.accessToken }
}

const keyOf = async (someone: Client, within: { workspaceId?: string } = {}) => {
  const body = { ...within, name: 'A key', scopes: ['read' as const] }
  return { url: someone.url, token: (await call(someone, apiKeys.createApiKey, { body })).body.key }
}

test('an account that is to be deleted is told so, and can do nothing but see, export and restore itself', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const other = await logIn(someone)
  const key = await keyOf(someone)
  const session = await openSession(someone)
  const agent = await webhookAgent(someone)
  t.is((await leave(someone, 'not the password')).failure.code, 'UNAUTHORIZED')
  t.is((await call(someone, auth.me)).body.deletionDueAt, null)
  const token = await resetTokenOf(platform, someone.email)
  const newEmail = `new-${someone.email}`
  await call(someone, accountMails.changeEmail, { body: { newEmail, currentPassword: someone.password } })
  const { body } = await leave(someone)
  const days = (Date.parse(body.deletionDueAt ?? '') - Date.now()) / 86_400_000
  t.true(days > 29.9 && days <= 30)
  const [mail] = await mailsTo(platform, someone.email)
  for (const words of [String(body.deletionDueAt), 'POST ', '/restore']) t.true(mail?.text.includes(words), words)

  const reset = await call(platform, accountMails.resetPassword, { body: { token, newPassword: 'another password' } })
  t.is(reset.failure.code, 'INVALID_TOKEN')
  const changed = await call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, newEmail) } })
  t.is(changed.failure.code, 'INVALID_TOKEN')
  t.is((await call(other, auth.me)).failure.code, 'TOKEN_REVOKED')
  t.is((await call(key, agents.listAgents)).failure.code, 'TOKEN_REVOKED')
  t.is((await current(someone, session.token)).failure.code, 'INVALID_SESSION')
  const back = await logIn(someone)
  for (const one of [someone, back]) {
    t.is((await call(one, agents.listAgents)).failure.code, 'PERMISSION_DENIED')
    t.is((await start(one, agent)).failure.code, 'PERMISSION_DENIED')
    t.is((await leave(one)).failure.code, 'PERMISSION_DENIED')
    t.is((await call(one, exported.exportAccount)).status, 200)
  }
  const refused = await deliver(platform, agent, {})
  t.is(refused.failure.code, 'TIER_REQUIRED')
  t.regex(refused.failure.error, /scheduled for deletion/)
  t.is((await call(back, auth.logout)).status, 204)
})

test('a restored account is as before: what waited in its queue starts', async (t) => {
  const { platform } = await stage()
  const someone = await customer(platform)
  const key = await keyOf(someone)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 2]]' })
  const [, second] = [await deliver(platform, agent, { n: 1 }), await deliver(platform, agent, { n: 2 })]
  await leave(someone)
  const { database } = platform.services
  await eventually(20, 'its queue is blocked', async () => {
    const queue = (await database('agent_queues').where({ agentId: agent.id }).first()) as { blockedCause: string }
    return queue.blockedCause ?? undefined
  })
  t.like(await database('runs').where({ id: second.body.runId }).first(), { status: 'queued' })
  t.is((await call(someone, auth.restoreAccount)).body.deletionDueAt, null)
  t.is((await call(someone, auth.restoreAccount)).status, 200, 'safe to repeat')
  t.is((await call(key, agents.listAgents)).body.items.length, 1)
  t.is((await ended(someone, second.body.runId)).status, 'completed')
  t.is((await mailsTo(platform, someone.email))[0]?.subject, 'Your account has been restored')
})

test('the subscription of an account that is to be deleted does not renew, also once the account is restored', async (t) => {
  const { platform } = await stage()
  const [someone, admin] = [await customer(platform), await adminOf(platform)]
  const params = { userId: await userIdOf(someone) }
  const advance = (seconds: number) => call(admin, adminClock.advanceClock, { params, body: { seconds } })
  const { subscription } = (await call(someone, billing.getBilling)).body
  t.is(subscription?.nextTier, null)
  const left = Math.floor((Date.parse(subscription?.currentPeriodEnd ?? '') - Date.now()) / 1000)
  // Nothing but the renewal happens in the last hour.
  t.is((await advance(left - 3600)).status, 200)
  await leave(someone)
  await platform.services.sweep.round()
  await call(someone, auth.restoreAccount)
  t.like((await call(someone, billing.getBilling)).body.subscription, { status: 'active', nextTier: 'free' })
  const { body } = await call(someone, billing.subscribe, { body: { tier: 'pro' } })
  t.like(body.subscription, { nextTier: null, cancelledAt: null })
  await leave(someone)
  t.is((await advance(7200)).status, 200, 'at once, before anybody has looked at the account')
  const paid = await platform.services.database('payments').where({ ownerId: params.userId, purpose: 'subscription' })
  t.is(paid.length, 1)
})

test('the workspaces of an account that is to be deleted are closed: they can be read, exported, left and deleted', async (t) => {
  const { platform } = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const params = { workspaceId }
  const [admin, member] = [
    await memberOf(platform, workspaceId, 'admin'),
    await memberOf(platform, workspaceId, 'member'),
  ]
  const [key, ownersKey] = [await keyOf(admin, params), await keyOf(owner, params)]
  const session = await openSession(admin, params)
  await leave(owner)
  t.like((await call(admin, workspaces.getWorkspace, { params })).body, { open: false })
  t.is((await call(key, agents.listAgents, { query: params })).status, 200)
  t.is((await call(admin, exported.exportWorkspace, { params })).status, 200)
  t.is((await call(admin, sessions.createSession, { body: params })).failure.code, 'WORKSPACE_REQUIRED')
  t.is((await current(admin, session.token)).failure.code, 'WORKSPACE_REQUIRED')
  for (const one of [member, admin]) {
    const leaving = { params: { workspaceId, userId: await userIdOf(one) } }
    t.is((await call(admin, members.removeMember, leaving)).status, 204)
  }

  // Its owner can export and delete it, and nothing else.
  t.is((await call(owner, exported.exportWorkspace, { params })).body.workspaceId, workspaceId)
  t.is((await call(owner, workspaces.getWorkspace, { params })).failure.code, 'PERMISSION_DENIED')
  t.is((await call(ownersKey, exported.exportWorkspace, { params })).status, 401, 'keys do not go on')
  t.is((await call(owner, workspaces.deleteWorkspace, { params })).status, 204)
  t.is((await call(owner, exported.exportWorkspace, { params })).failure.code, 'WORKSPACE_NOT_FOUND')
  await emptied(platform, workspaceId)
  await call(owner, auth.restoreAccount)
  t.deepEqual((await call(owner, workspaces.listWorkspaces)).body.items, [], 'a restore does not bring it back')
})

test('once the time is over nobody gets in or back, and what others have goes on', async (t) => {
  const { platform } = await stage()
  const someone = await person(platform)
  const neighbour = await person(platform)
  const agent = await agentOf(neighbour)
  const userId = await userIdOf(someone)
  await leave(someone)
  await graceIsOver(platform, userId)
  t.is((await call(someone, auth.restoreAccount)).failure.code, 'TOKEN_REVOKED')
  const { email, password } = someone
  t.is((await call(platform, auth.login, { body: { email, password } })).failure.code, 'UNAUTHORIZED')
  await emptied(platform, userId)
  t.is((await call(someone, auth.me)).failure.code, 'INVALID_TOKEN')
  t.is((await ended(neighbour, (await start(neighbour, agent)).body.id)).status, 'completed')
})
