// @promise audit
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as audit from '../../api/audit.ts'
import * as auth from '../../api/auth.ts'
import * as invitations from '../../api/invitations.ts'
import * as members from '../../api/members.ts'
import * as moves from '../../api/moves.ts'
import { routes } from '../../api/routes.ts'
import { adminOf } from '../helpers/admins.ts'
import { call, type Client } from '../helpers/client.ts'
import { resetTokenOf, tokenTo } from '../helpers/mailbox.ts'
import { agentOf, customer, person, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { inviteTo, memberOf, userIdOf, verified, workspaceOf } from '../helpers/workspaces.ts'

/* The log of who did what: complete, in order, for those who may see it, and never changed. */

const stage = forWholeFile(test, 'the audit log', (t) => startPlatform(t))

const logOf = async (client: Client, query: Record<string, string> = {}) =>
  (await call(client, audit.listAudit, { query })).body.items

async function openWorkspace() {
  const platform = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  return { platform, owner, workspaceId }
}

test('every route that changes something says what the log notes of it, or why it notes nothing', (t) => {
  const silent = routes.filter(({ method, audit: notes }) => method !== 'get' && notes === undefined)
  t.deepEqual(
    silent.map(({ name }) => name),
    [],
  )
  const reasons = routes.flatMap(({ audit: notes }) => (notes && 'not' in notes ? [notes.not] : []))
  for (const reason of reasons) t.regex(reason, /^[A-Z].{10,}\.$/)
})

test('the log of a workspace tells who made, changed and deleted what, with what was before and after', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const member = await memberOf(platform, workspaceId, 'member')
  const agent = await agentOf(member, { workspaceId, name: 'Triage' })
  const params = { agentId: agent.id }
  await call(owner, agents.updateAgent, { params, body: { name: 'Sorting', systemPrompt: 'x'.repeat(4000) } })
  await call(owner, agents.deleteAgent, { params })
  const [deleted, updated, made] = await logOf(owner, { workspaceId })
  const subject = { kind: 'agent', id: agent.id }
  t.like(made, { action: 'createAgent', subject, ownerId: workspaceId, before: null, outcome: 'done' })
  t.like(made?.actor, { userId: await userIdOf(member), email: member.email, via: 'login', address: '127.0.0.1' })
  t.like(made?.after, { name: 'Triage', trigger: 'manual' })
  t.is(updated?.after?.['name'], 'Sorting')
  t.regex(String(updated?.after?.['systemPrompt']), /^\(4000 characters, SHA-256 [0-9a-f]{16}…\)$/)
  t.deepEqual(updated?.before, { name: 'Triage', systemPrompt: made?.after?.['systemPrompt'] })
  t.like(updated, { action: 'updateAgent', subject, actor: { userId: await userIdOf(owner) } })
  t.like(deleted, { action: 'deleteAgent', subject, after: null, outcome: 'done', before: { name: 'Sorting' } })
})

test('what was refused is not in the log, since it has changed nothing', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const viewer = await memberOf(platform, workspaceId, 'viewer')
  const params = { workspaceId, userId: await userIdOf(owner) }
  t.is((await call(viewer, members.changeRole, { params, body: { role: 'viewer' } })).failure.code, 'PERMISSION_DENIED')
  const refused = await call(owner, members.changeRole, { params, body: { role: 'admin' } })
  t.is(refused.failure.code, 'ROLE_CHANGE_FORBIDDEN')
  t.deepEqual(await logOf(owner, { workspaceId }), [])
})

test.serial('of a change that fails in the middle the log says that nobody knows what came of it', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const { sealing } = platform.services
  sealing.hold()
  const body = { workspaceId, name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' as const }
  const { failure } = await call(owner, agents.createAgent, { body })
  sealing.release()
  t.is(failure.code, 'INTERNAL_ERROR')
  t.like(await logOf(owner, { workspaceId }), { 0: { action: 'createAgent', outcome: 'unknown' }, length: 1 })
})

test('a changed role and a removed member are noted with the role that was before', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const member = await memberOf(platform, workspaceId, 'member')
  const params = { workspaceId, userId: await userIdOf(member) }
  await call(owner, members.changeRole, { params, body: { role: 'viewer' } })
  t.is((await logOf(owner, { workspaceId }))[0]?.subject.email, member.email)
  await call(member, members.removeMember, { params })
  const [removed, changed] = await logOf(owner, { workspaceId })
  t.deepEqual([changed?.before, changed?.after], [{ role: 'member' }, { role: 'viewer' }])
  t.like(removed, {
    action: 'removeMember',
    actor: { email: null, userId: params.userId },
    subject: { email: null, id: params.userId },
    before: { role: 'viewer' },
    after: null,
  })
})

test('what an API key does is noted as its own, and no secret is in the log', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const body = { workspaceId, name: 'nightly', scopes: ['read' as const, 'write' as const] }
  const { id, key } = (await call(owner, apiKeys.createApiKey, { body })).body
  const client = { ...owner, token: key }
  const agent = await webhookAgent(client, { workspaceId })
  const { actor, action } = (await logOf(owner, { workspaceId }))[0] ?? {}
  t.like({ actor, action }, { action: 'createAgent', actor: { via: 'api-key', viaId: id, email: owner.email } })
  const everything = JSON.stringify(await platform.services.database('auditEntries').where({ ownerId: workspaceId }))
  for (const secret of [key, agent.webhookSecret]) t.false(secret === '' || everything.includes(secret))
})

test('an admin of the platform reads the logs of all owners, or of one', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const admin = await adminOf(platform)
  await agentOf(owner, { workspaceId })
  const all = (await call(admin, audit.listAuditOfAll, { query: { ownerId: workspaceId } })).body.items
  t.deepEqual(
    all.map(({ action }) => action),
    ['createAgent'],
  )
  t.true((await call(admin, audit.listAuditOfAll)).body.items.length > 1)
})

test('the database itself refuses to change or delete an entry', async (t) => {
  const { platform, owner } = await openWorkspace()
  const { database } = platform.services
  await agentOf(owner)
  const mine = () => database('auditEntries').where({ ownerId: userId })
  const userId = await userIdOf(owner)
  await t.throwsAsync(async () => mine().update({ action: 'somethingElse' }), { message: /append-only/ })
  await t.throwsAsync(async () => mine().update({ outcome: 'unknown' }), { message: /append-only/ })
  await t.throwsAsync(async () => mine().delete(), { message: /append-only/ })
})

test('old entries are deleted after the days that the operator has set', async (t) => {
  const platform = await stage()
  const someone = await person(platform)
  const ownerId = await userIdOf(someone)
  const { database, audit: log } = platform.services
  const old = '00000000-0000-7000-8000-000000000001'
  const row = { id: old, ownerId, createdAt: new Date(0), action: 'createAgent', subjectKind: 'agent', via: 'login' }
  await database('auditEntries').insert({ ...row, outcome: 'done' })
  await log.purge()
  t.deepEqual(await database('auditEntries').where({ id: old }), [])
  t.true((await logOf(someone)).length > 0)
})

test('a move is in the log of the former owner and in that of the new one', async (t) => {
  const { owner, workspaceId } = await openWorkspace()
  const agent = await agentOf(owner)
  const ownerId = await userIdOf(owner)
  await call(owner, moves.moveThings, { body: { workspaceId, agentIds: [agent.id] } })
  const logs = [await logOf(owner, { subjectId: agent.id }), await logOf(owner, { workspaceId, subjectId: agent.id })]
  for (const [entry] of logs)
    t.like(entry, { action: 'moveThings', before: { ownerId }, after: { ownerId: workspaceId } })
})

test('logging in, a token from a mail, joining a workspace, and a command of the operator are in the log', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const someone = await verified(platform)
  const userId = await userIdOf(someone)
  await inviteTo(platform, owner, workspaceId, { email: someone.email, role: 'viewer' })
  const token = await tokenTo(platform, someone.email)
  await call(someone, invitations.acceptInvitation, { body: { token } })
  const reset = { token: await resetTokenOf(platform, someone.email), newPassword: 'another good password' }
  await call(platform, accountMails.resetPassword, { body: reset })
  const again = { email: someone.email, password: reset.newPassword }
  const { accessToken } = (await call(platform, auth.login, { body: again })).body
  const admin = await adminOf(platform)

  const own = await logOf({ url: platform.url, token: accessToken })
  t.deepEqual(
    own.map(({ action, actor }) => [action, actor.via, actor.userId]),
    [
      ['login', 'login', userId],
      ['resetPassword', 'mail', userId],
      ['verifyEmail', 'mail', userId],
      ['acceptTerms', 'login', userId],
      ['login', 'login', userId],
    ],
  )
  t.true(own.every(({ actor }) => actor.address === '127.0.0.1'))
  const [joined] = await logOf(owner, { workspaceId, action: 'acceptInvitation' })
  t.like(joined, { subject: { kind: 'member', id: userId }, actor: { userId }, after: { role: 'viewer' } })
  const [made] = await logOf(admin, { action: 'npm run admin -- make-admin' })
  t.like(made, { actor: { via: 'command', userId: null }, before: { admin: false }, after: { admin: true } })
})

test('what people write into prompts and addresses is not in the log, only that it has changed', async (t) => {
  const { owner, workspaceId } = await openWorkspace()
  const callbackUrl = 'https://hooks.example.com/endings?token=a-secret'
  await agentOf(owner, { workspaceId, systemPrompt: 'The password is a-secret.', callbackUrl })
  const [made] = await logOf(owner, { workspaceId })
  t.false(JSON.stringify(made).includes('a-secret'))
  t.is(made?.after?.['callbackUrl'], 'https://hooks.example.com/endings?…')
})

test('the log names whom an invitation is for while there is one, and who acted while they are members', async (t) => {
  const { platform, owner, workspaceId } = await openWorkspace()
  const { email } = (await inviteTo(platform, owner, workspaceId)).body
  t.like((await logOf(owner, { workspaceId }))[0]?.subject, { kind: 'invitation', email })
  const member = await memberOf(platform, workspaceId, 'member')
  await agentOf(member, { workspaceId })
  t.is((await logOf(owner, { workspaceId }))[0]?.actor.email, member.email)
  const params = { workspaceId, userId: await userIdOf(member) }
  await call(member, members.removeMember, { params })
  for (const { actor } of (await logOf(owner, { workspaceId })).slice(0, 2)) t.is(actor.email, null)
})
