import type { ExecutionContext, TestFn } from 'ava'
import * as agents from '../../../api/agents.ts'
import { rotateSecret } from '../../../api/agent-secrets.ts'
import { moveThings } from '../../../api/moves.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { webhookAgent } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { join, userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import type { Platform } from '../../helpers/platform.ts'

export type Stage = Awaited<ReturnType<typeof open>>
type Changed = NonNullable<
  NonNullable<Parameters<typeof call<'', undefined, typeof agents.updateAgent.body, undefined>>[2]>['body']
>

/** For each test an owner with an agent of her own and one in her workspace, and an agent of somebody else. */
export function versionsForFile(test: TestFn) {
  const idle = sharedPlatform(test, 'idle')
  return async (t: ExecutionContext) => open(t, await idle())
}

async function open(t: ExecutionContext, platform: Platform) {
  const { database } = platform.services
  const [owner, other] = [await newOwner(t, platform, 'team'), await newOwner(t, platform, 'team')]
  const { id: workspaceId } = await workspaceOf(owner)
  const [ownerId, otherId] = [await userIdOf(owner), await userIdOf(other)]
  await join(platform, workspaceId, other, 'admin')
  const own = await owner.webhookAgent()
  const shared = await owner.webhookAgent({ workspaceId })
  const foreign = await webhookAgent(other, { workspaceId: (await workspaceOf(other)).id })
  const params = { agentId: own.id }
  const month = database.raw<never>('credit_month(now(), 0)')
  return {
    database,
    ownerId,
    otherId,
    workspaceId,
    ids: [own.id, shared.id, foreign.id],
    change: (body: Changed) => call(owner, agents.updateAgent, { params, body }),
    rotate: (overlapSeconds: number) => call(owner, rotateSecret, { params, body: { overlapSeconds } }),
    pause: () => call(owner, agents.pauseAgent, { params }),
    resume: () => call(owner, agents.resumeAgent, { params }),
    move: (to: object) => call(owner, moveThings, { body: { agentIds: [own.id], ...to } }),
    remove: () => call(owner, agents.deleteAgent, { params }),
    used: (subjectId: string, credits: number, tokens = 0) =>
      database('credit_months')
        .insert({ subjectId, month, credits, tokens })
        .onConflict(['subjectId', 'month'])
        .merge(),
    usedByWorkspace: (credits: number) => database('workspace_months').insert({ workspaceId, month, credits }),
    account: (changes: object) => database('accounts').where({ ownerId }).update(changes),
    user: (changes: object) => database('users').where({ id: ownerId }).update(changes),
    workspace: (changes: object) => database('workspaces').where({ id: workspaceId }).update(changes),
  }
}

/** The version of each agent, and the tokens of its account. */
export async function versionsOf({ database, ids }: Stage, at = new Date()) {
  const { rows } = await database.raw<{ rows: { agentId: string; version: string; tokens: number }[] }>(
    'select agent_id as "agentId", version, tokens from delivery_versions(?::uuid[], ?)',
    [ids, at],
  )
  return ids.map((id) => rows.find(({ agentId }) => agentId === id))
}
