import type { ExecutionContext, TestFn } from 'ava'
import * as agents from '../../../api/agents.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { deliver } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { userIdOf } from '../../helpers/workspaces.ts'
import type { Platform } from '../../helpers/platform.ts'

type Request = NonNullable<Parameters<typeof call<'', undefined, typeof agents.updateAgent.body, undefined>>[2]>
export type Changed = NonNullable<Request['body']>

/** For each test an owner, and an agent whose first delivery was just accepted, so that it is remembered. */
export function rememberedForFile(test: TestFn) {
  const idle = sharedPlatform(test, 'idle')
  return async (t: ExecutionContext) => open(t, await idle())
}

async function open(t: ExecutionContext, platform: Platform) {
  const owner = await newOwner(t, platform, 'team')
  const agent = await owner.webhookAgent()
  let number = 0
  /** 202, or the code of the refusal. */
  const post = async (secret = agent.webhookSecret) => {
    const answer = await deliver(platform, { id: agent.id, webhookSecret: secret }, { number: (number += 1) })
    return answer.status === 202 ? 202 : answer.failure.code
  }
  const first = (await owner.deliver(agent, { number: 0 })).body
  t.is(await post(), 202)
  const params = { agentId: agent.id }
  const change = (body: Changed) => call(owner, agents.updateAgent, { params, body })
  /** A step of the first run. */
  const use = async (credits: number, tokens = 0) => {
    const { database, billing: services } = platform.services
    const step = { ownerId: await userIdOf(owner), runId: first.runId, step: (number += 1), credits, tokens }
    await database.transaction((trx) => services.credits.chargeStep(trx, step))
  }
  const asAdmin = async () => ({ boss: await adminOf(platform), params: { userId: await userIdOf(owner) } })
  return { platform, owner, agent, params, first, post, change, use, asAdmin }
}
