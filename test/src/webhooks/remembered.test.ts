import test, { type ExecutionContext } from 'ava'
import * as adminClock from '../../../api/admin-clock.ts'
import * as adminUsers from '../../../api/admin-users.ts'
import * as agents from '../../../api/agents.ts'
import { rotateSecret } from '../../../api/agent-secrets.ts'
import * as auth from '../../../api/auth.ts'
import * as billing from '../../../api/billing.ts'
import { moveThings } from '../../../api/moves.ts'
import { buyCredits } from '../../../api/payments.ts'
import { updateWorkspace } from '../../../api/workspaces.ts'
import type { ErrorCode } from '../../../src/errors.ts'
import { newId } from '../../../src/ids.ts'
import { adminOf, suspend } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { newOwner } from '../../helpers/owner.ts'
import { deliver } from '../../helpers/people.ts'
import { cancel, spendAllBut } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { userIdOf, workspaceOf } from '../../helpers/workspaces.ts'

/* A process remembers the agents of deliveries. What changes afterwards holds for the very next delivery. */

const idle = sharedPlatform(test, 'idle')

type Request = NonNullable<Parameters<typeof call<'', undefined, typeof agents.updateAgent.body, undefined>>[2]>
type Changed = NonNullable<Request['body']>

/** An owner, and an agent whose first delivery was just accepted, so that it is remembered. */
async function open(t: ExecutionContext) {
  const platform = await idle()
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

test('used up credits refuse the next delivery, and bought ones or a raised cap accept it', async (t) => {
  const { platform, owner, first, post, change, use } = await open(t)
  await spendAllBut(platform, first.runId, 1)
  t.is(await post(), 202)
  await use(1)
  t.is(await post(), 'NO_CREDITS')
  t.is(await post(), 'NO_CREDITS')
  t.is((await call(owner, buyCredits, { body: { credits: 500 } })).status, 201)
  t.is(await post(), 202)
  const cap = (creditsPerMonth: number | null) => call(owner, billing.updateBilling, { body: { creditsPerMonth } })
  for (const [lower, raise] of [
    [() => change({ creditsPerMonth: 0 }), () => change({ creditsPerMonth: null })],
    [() => cap(0), () => cap(null)],
  ] as const) {
    await lower()
    t.is(await post(), 'NO_CREDITS')
    await raise()
    t.is(await post(), 202)
  }
})

test('a suspended owner’s deliveries are refused until it is lifted, and those of a closing account until it is restored', async (t) => {
  const { platform, owner, post, asAdmin } = await open(t)
  const { boss, params } = await asAdmin()
  await suspend(platform, owner)
  t.is(await post(), 'PERMISSION_DENIED')
  await call(boss, adminUsers.liftUser, { params })
  t.is(await post(), 202)
  const { email, password } = owner
  const again = (await call(platform, auth.login, { body: { email, password } })).body.accessToken
  const someone = { url: platform.url, token: again }
  t.is((await call(someone, auth.deleteAccount, { body: { password } })).status, 200)
  t.is(await post(), 'TIER_REQUIRED')
  t.is((await call(someone, auth.restoreAccount)).status, 200)
  t.is(await post(), 202)
})

test('the next delivery is refused when the payment of the month fails, and when the tier has no webhooks', async (t) => {
  const { owner, post, asAdmin } = await open(t)
  const { boss, params } = await asAdmin()
  await call(owner, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_chargeCustomerFail' } })
  const advance = (days: number) => call(boss, adminClock.advanceClock, { params, body: { seconds: days * 86_400 } })
  t.is((await advance(32)).status, 200)
  t.is(await post(), 'SUBSCRIPTION_PAST_DUE')
  t.is((await advance(40)).status, 200)
  t.is(await post(), 'TIER_REQUIRED')
  await call(boss, adminUsers.giveTier, { params, body: { tier: 'pro' } })
  t.is(await post(), 202)
})

test('a month’s tokens refuse the next delivery once they are used up, or once an admin lowers the limit', async (t) => {
  const { post, use, asAdmin } = await open(t)
  const { boss, params } = await asAdmin()
  const limit = (tokensPerMonth: number | null) =>
    call(boss, adminUsers.giveTier, { params, body: { limits: { tokensPerMonth } } })
  await limit(1000)
  await use(1, 999)
  t.is(await post(), 202)
  await use(1, 1)
  t.is(await post(), 'NO_CREDITS')
  await limit(1001)
  t.is(await post(), 202)
  await limit(1000)
  t.is(await post(), 'NO_CREDITS')
})
