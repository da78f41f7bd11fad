import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as members from '../../api/members.ts'
import * as sessions from '../../api/sessions.ts'
import * as workspaces from '../../api/workspaces.ts'
import { historyOf, openSession, send, typesOf, type TestSession } from '../chat/stage.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, customer, deliver, ended, runOf, webhookAgent } from '../helpers/people.ts'
import { happened, openStage, start } from '../helpers/runs.ts'
import { current } from '../helpers/sessions.ts'
import { watch } from '../helpers/watch.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* What a member who is removed sees next, and what becomes of what was under way. */

/** Regular checks of streams come too late for these tests. */
const env = { STREAM_CHECK_SECONDS: '600' }
const stage = forWholeFile(test, 'removed members', (t) => openStage(t, { env }))

async function open() {
  const { platform, sites } = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await memberOf(platform, workspaceId, 'member')
  const remove = async () =>
    call(owner, members.removeMember, { params: { workspaceId, userId: await userIdOf(member) } })
  return { platform, sites, owner, member, workspaceId, remove }
}

/** Reads a stream to its end. */
async function typesIn(response: Response): Promise<string[]> {
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: {'))
  return typesOf(frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as never))
}

test('in the middle of a stream: it ends within seconds, with the answer of a run that is not there', async (t) => {
  const { member, workspaceId, remove } = await open()
  const agent = await agentOf(member, { workspaceId, systemPrompt: '[[sleep 30]]' })
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
})

test('in the middle of a run: it goes on for the workspace, and is not there for the member', async (t) => {
  const { owner, member, workspaceId, remove } = await open()
  const agent = await agentOf(member, { workspaceId, systemPrompt: '[[sleep 2]] [[say It is done.]]' })
  const { id } = (await start(member, agent)).body
  await happened(member, id, 'started')
  await remove()
  t.is((await call(member, agents.getAgent, { params: { agentId: agent.id } })).failure.code, 'AGENT_NOT_FOUND')
  t.is((await start(member, agent)).failure.code, 'AGENT_NOT_FOUND')
  t.is((await ended(owner, id)).status, 'completed')
  t.is((await runOf(owner, id)).ownerId, workspaceId)
})

/** Waits until the answer to the first message is under way. */
const underWay = (session: TestSession) =>
  eventually(
    10,
    'the answer is under way',
    async () => (await historyOf(session)).items[1]?.status === 'running' || undefined,
  )

const codeOfMessage = async (t: ExecutionContext, session: TestSession) => {
  const answer = await send(session, { text: '[[say Hello.]]' })
  t.true(answer.status >= 400)
  return ((await answer.json()) as { code: string }).code
}

test('in the middle of a chat: the answer ends, and so does the session', async (t) => {
  const { member, workspaceId, remove } = await open()
  const session = await openSession(member, { workspaceId })
  const answer = send(session, { text: '[[call nothing {}]] [[then]] [[sleep 30]]', stream: true })
  await underWay(session)
  await remove()
  const last = (await typesIn(await answer)).at(-1) ?? ''
  t.true(['abort', 'error'].includes(last), last)
  t.is(await codeOfMessage(t, session), 'INVALID_SESSION')
  const own = await openSession(member)
  t.is((await current(member, own.token)).status, 200, 'sessions of one’s own go on')
})

test('a member who becomes a viewer sees on, and uses nothing any more', async (t) => {
  const { owner, member, workspaceId } = await open()
  const session = await openSession(member, { workspaceId })
  const agent = await agentOf(member, { workspaceId })
  const params = { workspaceId, userId: await userIdOf(member) }
  t.is((await call(owner, members.changeRole, { params, body: { role: 'viewer' } })).status, 200)
  t.is((await current(member, session.token)).failure.code, 'INVALID_SESSION')
  t.is((await start(member, agent)).failure.code, 'PERMISSION_DENIED')
  t.is((await call(member, sessions.createSession, { body: { workspaceId } })).failure.code, 'PERMISSION_DENIED')
  t.is((await call(member, agents.getAgent, { params: { agentId: agent.id } })).status, 200)
})

test('a workspace that is deleted is gone for everybody at once', async (t) => {
  const { platform, owner, member, workspaceId } = await open()
  const session = await openSession(member, { workspaceId })
  const agent = await webhookAgent(member, { workspaceId })
  t.is((await call(owner, workspaces.deleteWorkspace, { params: { workspaceId } })).status, 204)
  for (const someone of [owner, member]) {
    t.is(
      (await call(someone, workspaces.getWorkspace, { params: { workspaceId } })).failure.code,
      'WORKSPACE_NOT_FOUND',
    )
    t.deepEqual((await call(someone, workspaces.listWorkspaces)).body.items, [])
  }
  // Its rows go in the background, maybe before this.
  const { code } = (await deliver(platform, agent, {})).failure
  t.true(['TIER_REQUIRED', 'AGENT_NOT_FOUND'].includes(code), 'its agents start nothing at anybody’s expense')
  const refused = (await current(member, session.token)).failure.code
  t.true(['INVALID_SESSION', 'SESSION_NOT_FOUND'].includes(refused))
})
