import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as logins from '../../api/logins.ts'
import * as members from '../../api/members.ts'
import * as sessions from '../../api/sessions.ts'
import * as workspaces from '../../api/workspaces.ts'
import { newId } from '../../src/ids.ts'
import { historyOf, openSession, send, typesOf } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { resetTokenOf } from '../helpers/mailbox.ts'
import { agentOf, customer, deliver, ended, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { happened, start } from '../helpers/runs.ts'
import { current } from '../helpers/sessions.ts'
import { watch } from '../helpers/watch.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* What a member who is removed sees next, and what becomes of what was under way. */

/** Regular checks of streams come too late for these tests. */
const env = { STREAM_CHECK_SECONDS: '600' }
const house = forWholeFile(test, 'removed members', (t) => startPlatform(t, { worker: true, env }))

async function open() {
  const platform = await house()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await memberOf(platform, workspaceId, 'member')
  const params = { workspaceId, userId: await userIdOf(member) }
  return { platform, owner, member, workspaceId, params, remove: () => call(owner, members.removeMember, { params }) }
}

test('in the middle of a run, whose stream ends: it goes on for the workspace, and is not there for the member', async (t) => {
  const { owner, member, workspaceId, remove } = await open()
  const agent = await agentOf(member, { workspaceId, systemPrompt: '[[sleep 5]] [[say It is done.]]' })
  const { id } = (await start(member, agent)).body
  await happened(member, id, 'started')
  const ownRun = (await start(member, await agentOf(member, { systemPrompt: '[[sleep 5]]' }))).body
  await happened(member, ownRun.id, 'started')
  const [stream, kept] = [await watch(member, id), await watch(member, ownRun.id)]
  await eventually(10, 'it is told of the run', () => stream.events.length > 0 || undefined)
  t.is((await remove()).status, 204)
  t.is(await stream.ended, 'ended')
  t.like(stream.events.at(-1), { event: 'error', data: { code: 'RUN_NOT_FOUND' } })
  const again = await watch(member, id)
  await again.ended
  t.is(again.failure().code, 'RUN_NOT_FOUND')
  t.is((await call(member, agents.getAgent, { params: { agentId: agent.id } })).failure.code, 'AGENT_NOT_FOUND')
  t.is((await start(member, agent)).failure.code, 'AGENT_NOT_FOUND')
  t.like(await ended(owner, id), { status: 'completed', ownerId: workspaceId })
  await kept.ended
  t.not(kept.events.at(-1)?.event, 'error', 'the stream of another run by the same login goes on')
})

// By itself: the changes of others would have it looked at, too.
test.serial('a stream ends at once when the login or the key that has opened it ends', async (t) => {
  const platform = await house()
  const someone = await customer(platform)
  const agent = await agentOf(someone, { systemPrompt: '[[sleep 40]]' })
  const { id } = (await start(someone, agent)).body
  await happened(someone, id, 'started')
  const { email } = someone
  let { password } = someone
  const logIn = async (): Promise<Person> => {
    const { accessToken: token } = (await call(platform, auth.login, { body: { email, password } })).body
    return { ...someone, token }
  }
  const body = { name: 'A key', scopes: ['read' as const] }
  const { id: apiKeyId, key } = (await call(someone, apiKeys.createApiKey, { body })).body
  const newPassword = 'another password of mine'
  // The first look at a stream comes in any case.
  let looks = 0
  platform.services.database.on(
    'query',
    ({ sql }: { sql: string }) => (looks += Number(sql.includes('access_changes'))),
  )
  const ends: Record<string, (by: Person) => Promise<{ status: number }>> = {
    'the key is deleted': () => call(someone, apiKeys.deleteApiKey, { params: { apiKeyId } }),
    'it logs out': (by) => call(by, auth.logout),
    'it is ended': async (by) => {
      const { items } = (await call(by, logins.listLogins)).body
      return call(someone, logins.endLogin, { params: { loginId: items.find(({ current }) => current)?.id ?? '' } })
    },
    'the password is changed': () =>
      call(someone, auth.changePassword, { body: { currentPassword: password, newPassword } }),
    'all logins are ended': () => call(someone, auth.logoutEverywhere),
    'the password is reset': async () =>
      call(platform, accountMails.resetPassword, { body: { token: await resetTokenOf(platform, email), newPassword } }),
  }
  for (const [what, end] of Object.entries(ends)) {
    const by = await logIn()
    const stream = await watch(what === 'the key is deleted' ? { ...by, token: key } : by, id)
    await eventually(10, 'it is told of the run', () => stream.events.length > 0 || undefined)
    const before = looks
    await eventually(10, 'two looks have come', () => looks > before + 1 || undefined)
    t.true((await end(by)).status < 300, what)
    t.is(await stream.ended, 'ended')
    t.like(stream.events.at(-1), { event: 'error', data: { code: 'TOKEN_REVOKED' } }, what)
    if (what === 'the password is changed') password = newPassword
  }
})

test('in the middle of a chat: the answer ends, and so does the session', async (t) => {
  const { member, workspaceId, remove } = await open()
  const session = await openSession(member, { workspaceId })
  const answer = send(session, { text: '[[call nothing {}]] [[then]] [[sleep 30]]', stream: true })
  await eventually(10, 'the answer is under way', async () => {
    const [, reply] = (await historyOf(session)).items
    return reply?.status === 'running' || undefined
  })
  await remove()
  const frames = (await (await answer).text()).split('\n\n').filter((frame) => frame.startsWith('data: {'))
  const last = typesOf(frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as never)).at(-1) ?? ''
  t.true(['abort', 'error'].includes(last), last)
  t.like(await (await send(session, { text: '[[say Hello.]]' })).json(), { code: 'INVALID_SESSION' })
  const own = await openSession(member)
  t.is((await current(member, own.token)).status, 200, 'sessions of one’s own go on')
})

test('a member who becomes a viewer sees on, and uses nothing any more', async (t) => {
  const { owner, member, workspaceId, params } = await open()
  const session = await openSession(member, { workspaceId })
  const agent = await agentOf(member, { workspaceId })
  t.is((await call(owner, members.changeRole, { params, body: { role: 'viewer' } })).status, 200)
  t.is((await current(member, session.token)).failure.code, 'INVALID_SESSION')
  t.is((await start(member, agent)).failure.code, 'PERMISSION_DENIED')
  t.is((await call(member, sessions.createSession, { body: { workspaceId } })).failure.code, 'PERMISSION_DENIED')
  t.is((await call(member, agents.getAgent, { params: { agentId: agent.id } })).status, 200)
})

test('a workspace that is deleted is gone for everybody at once', async (t) => {
  const { platform, owner, member, workspaceId, params } = await open()
  const session = await openSession(member, { workspaceId })
  const agent = await webhookAgent(member, { workspaceId })
  const { id: elsewhere } = await workspaceOf(owner, 'Elsewhere')
  await join(platform, elsewhere, member, 'member')
  const other = await openSession(member, { workspaceId: elsewhere })
  const keyed = { workspaceId: elsewhere, name: 'A key', scopes: ['read' as const] }
  const { key } = (await call(owner, apiKeys.createApiKey, { body: keyed })).body
  const { database, clock } = platform.services
  const provider = { id: newId(), issuer: 'https://idp.example.com', clientId: 'a', clientSecret: 'test.sealed' }
  await database('workspace_providers').insert({ ...provider, workspaceId: elsewhere, createdAt: clock.now() })
  t.is((await call(owner, workspaces.deleteWorkspace, { params })).status, 204)
  for (const someone of [owner, member]) {
    t.is((await call(someone, workspaces.getWorkspace, { params })).failure.code, 'WORKSPACE_NOT_FOUND')
    t.like((await call(someone, workspaces.listWorkspaces)).body.items, { 0: { id: elsewhere }, length: 1 })
  }
  t.is((await current(member, other.token)).status, 200, 'another one goes on')
  t.is((await call({ url: platform.url, token: key }, agents.listAgents)).status, 200)
  t.is((await database('workspace_providers').where({ workspaceId: elsewhere })).length, 1)
  // Its rows go in the background, maybe before this.
  const { code } = (await deliver(platform, agent, {})).failure
  t.true(['TIER_REQUIRED', 'AGENT_NOT_FOUND'].includes(code), 'its agents start nothing at anybody’s expense')
  const refused = (await current(member, session.token)).failure.code
  t.true(['INVALID_SESSION', 'SESSION_NOT_FOUND'].includes(refused))
})
