import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as members from '../../api/members.ts'
import * as sessions from '../../api/sessions.ts'
import * as workspaces from '../../api/workspaces.ts'
import { historyOf, openSession, send, typesOf } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { happened, start } from '../helpers/runs.ts'
import { current } from '../helpers/sessions.ts'
import { watch } from '../helpers/watch.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

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
  const stream = await watch(member, id)
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
  t.is((await call(owner, workspaces.deleteWorkspace, { params })).status, 204)
  for (const someone of [owner, member]) {
    t.is((await call(someone, workspaces.getWorkspace, { params })).failure.code, 'WORKSPACE_NOT_FOUND')
    t.deepEqual((await call(someone, workspaces.listWorkspaces)).body.items, [])
  }
  // Its rows go in the background, maybe before this.
  const { code } = (await deliver(platform, agent, {})).failure
  t.true(['TIER_REQUIRED', 'AGENT_NOT_FOUND'].includes(code), 'its agents start nothing at anybody’s expense')
  const refused = (await current(member, session.token)).failure.code
  t.true(['INVALID_SESSION', 'SESSION_NOT_FOUND'].includes(refused))
})
