import test from 'ava'
import * as agents from '../../../api/agents.ts'
import { rotateSecret } from '../../../api/agent-secrets.ts'
import { moveThings } from '../../../api/moves.ts'
import { updateWorkspace } from '../../../api/workspaces.ts'
import type { ErrorCode } from '../../../src/errors.ts'
import { newId } from '../../../src/ids.ts'
import { call } from '../../helpers/client.ts'
import { deliver } from '../../helpers/people.ts'
import { cancel } from '../../helpers/runs.ts'
import { userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import { rememberedForFile, type Changed } from './open-remembered.ts'

/* A process remembers the agents of deliveries. A change of one holds for the very next delivery. */

const open = rememberedForFile(test)

test('a secret that was rotated is refused at once, the new one is accepted, and so are both in an overlap', async (t) => {
  const { owner, agent, params, post } = await open(t)
  const rotate = async (overlapSeconds: number) =>
    (await call(owner, rotateSecret, { params, body: { overlapSeconds } })).body.webhookSecret ?? ''
  const second = await rotate(0)
  t.deepEqual(
    [await post(), await post(second), await post()],
    ['WEBHOOK_SECRET_INVALID', 202, 'WEBHOOK_SECRET_INVALID'],
  )
  const third = await rotate(600)
  t.deepEqual([await post(third), await post(second)], [202, 202])
  const fourth = await rotate(600)
  t.deepEqual(
    [await post(second), await post(third), await post(fourth)],
    ['WEBHOOK_SECRET_INVALID', 202, 202],
    'a second rotation ends the first overlap',
  )
  t.is(await post(agent.webhookSecret), 'WEBHOOK_SECRET_INVALID')
})

test('a changed proof, schema or trigger decides about the next delivery, and so does its return', async (t) => {
  const { change, post } = await open(t)
  const cases: [Changed, Changed, ErrorCode][] = [
    [{ webhookProof: 'github' }, { webhookProof: 'secret' }, 'WEBHOOK_SECRET_INVALID'],
    [{ webhookSchema: [{ name: 'title', type: 'string' }] }, { webhookSchema: null }, 'WEBHOOK_PAYLOAD_INVALID'],
    [{ trigger: 'manual' }, { trigger: 'webhook' }, 'AGENT_NOT_FOUND'],
  ]
  for (const [changed, restored, code] of cases) {
    await change(changed)
    t.is(await post(), code)
    await change(restored)
    t.is(await post(), 202)
  }
})

test('a paused agent accepts deliveries, and a deleted one is not found', async (t) => {
  const { owner, params, post } = await open(t)
  await call(owner, agents.pauseAgent, { params })
  t.is(await post(), 202)
  await call(owner, agents.resumeAgent, { params })
  t.is(await post(), 202)
  await call(owner, agents.deleteAgent, { params })
  t.is(await post(), 'AGENT_NOT_FOUND')
  t.is(await post(), 'AGENT_NOT_FOUND', 'and is not remembered any more')
})

test('to strangers a deleted agent, one with another trigger and an unknown one look alike', async (t) => {
  const { platform, owner, agent } = await open(t)
  await call(owner, agents.deleteAgent, { params: { agentId: agent.id } })
  const manual = await owner.agent()
  const answers = [agent.id, manual.id, newId(), 'no-id'].map(async (id) =>
    deliver(platform, { id, webhookSecret: 'a guess' }, {}).then(({ failure }) => failure),
  )
  const [first, ...others] = await Promise.all(answers)
  for (const other of others) t.deepEqual(other, first)
})

test('the deliveries of an agent that was moved belong to its new owner, and to that owner’s limits', async (t) => {
  const { platform, owner, agent, post } = await open(t)
  const { database } = platform.services
  const { id: workspaceId } = await workspaceOf(owner)
  const runs = () => database('runs').where({ agentId: agent.id }).orderBy('sequence')
  for (const id of (await runs().pluck('id')) as string[]) await cancel(owner, id)
  const moved = await call(owner, moveThings, { body: { agentIds: [agent.id], workspaceId } })
  t.is(moved.status, 200)
  t.is(await post(), 202)
  const ownerId = await userIdOf(owner)
  t.deepEqual(await runs().pluck('owner_id'), [ownerId, ownerId, workspaceId])
  await call(owner, updateWorkspace, { params: { workspaceId }, body: { creditsPerMonth: 0 } })
  t.is(await post(), 'NO_CREDITS')
  await call(owner, updateWorkspace, { params: { workspaceId }, body: { creditsPerMonth: null } })
  t.is(await post(), 202)
})
