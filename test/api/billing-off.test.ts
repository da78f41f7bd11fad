// @promise money-by-default
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as why from '../../api/why.ts'
import * as adminClock from '../../api/admin-clock.ts'
import * as adminCredits from '../../api/admin-credits.ts'
import * as adminUsers from '../../api/admin-users.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import * as paymentSetup from '../../api/payment-setup.ts'
import * as workspaces from '../../api/workspaces.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { agentOf, deliver, ended, person, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { userIdOf } from '../helpers/workspaces.ts'

const open = forWholeFile(test, 'without payments', async (t) => {
  const env = {
    BILLING: 'off',
    LIMIT_TOKENS_PER_MONTH: '30000',
    LIMIT_AGENTS: '4',
    RUN_WAIT_SECONDS: '60',
    QUEUE_BLOCKED_SECONDS: '2',
  }
  const platform = await startPlatform(t, { worker: true, env })
  return { platform, root: await adminOf(platform) }
})

const billingOf = async (someone: Parameters<typeof call>[0]) => (await call(someone, billing.getBilling)).body

test('everybody has every feature, within limits that are settings', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  t.like(await billingOf(someone), {
    billing: 'off',
    tier: null,
    features: ['manual', 'scheduled', 'webhooks', 'workspaces'],
    subscription: null,
    tokens: { used: 0, limit: 30_000 },
  })
  const finite = Object.values((await billingOf(someone)).limits)
  t.true(finite.length > 10 && finite.every((limit) => limit !== null))
  t.deepEqual((await call(someone, billing.listTiers)).body.items, [])
  const agent = await webhookAgent(someone)
  const { body } = await deliver(someone, agent, { event: 'a' })
  t.is((await ended(someone, body.runId)).status, 'completed')
  t.is((await call(someone, workspaces.createWorkspace, { body: { name: 'All of us' } })).status, 201)
  for (let made = 1; made < 4; made += 1) await agentOf(someone)
  await t.throwsAsync(agentOf(someone), { message: /AGENT_LIMIT_REACHED/ })
})

test('whatever would take a payment is not there', async (t) => {
  const { platform, root } = await open()
  const someone = await person(platform)
  const userId = await userIdOf(someone)
  const body = { credits: 1000 }
  const refused = [
    await call(someone, billing.subscribe, { body: { tier: 'enterprise' } }),
    await call(someone, billing.cancelSubscription),
    await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }),
    await call(someone, paymentSetup.setUpPaymentMethod),
    await call(someone, payments.buyCredits, { body }),
    await call(someone, payments.setTopUp, { body: { enabled: true, below: 10, credits: 100, centsPerMonth: 1000 } }),
    await call(root, adminCredits.giveCredits, { params: { userId }, body: { ...body, note: 'A gift' } }),
  ]
  for (const { failure } of refused) {
    t.is(failure.code, 'NOT_FOUND')
    t.regex(failure.error, /no payments, .*BILLING=off/)
  }
  t.is((await billingOf(someone)).balance, 0)
  const tier = await call(root, adminUsers.giveTier, { params: { userId }, body: { tier: 'pro' } })
  t.is(tier.failure.code, 'VALIDATION_ERROR')
  t.like((await call(root, adminUsers.getUser, { params: { userId } })).body, { tier: null, balance: null })
  const clock = await call(root, adminClock.advanceClock, { params: { userId }, body: { seconds: 1 } })
  t.regex(clock.failure.error, /has no payment sandbox/)
})

test('what a limit refuses says how to get more, and names no payment', async (t) => {
  const { platform, root } = await open()
  const someone = await person(platform)
  const userId = await userIdOf(someone)
  const limit = (limits: object) => call(root, adminUsers.giveTier, { params: { userId }, body: { limits } })
  const agent = await agentOf(someone)
  await limit({ agents: 0, apiKeys: 0, workspaces: 0, vaultSites: 0 })
  const params = { agentId: agent.id }
  const refused = [
    await call(someone, agents.resumeAgent, { params }),
    await call(someone, apiKeys.createApiKey, { body: { name: 'ci', scopes: ['read'] } }),
    await call(someone, workspaces.createWorkspace, { body: { name: 'All of us' } }),
  ]
  for (const { failure } of refused) t.regex(failure.error, /ask the platform operator\.$/)
  const { causes } = (await call(someone, why.whyAgent, { params })).body
  t.like(causes[0], { code: 'PAUSED' })
  t.notRegex(JSON.stringify(causes), /subscription|payment method/)
  const { failure } = await limit({ tokensPerMonth: 1e30 })
  t.regex(JSON.stringify(failure), /9007199254740991/)
})

test('what steps would cost counts for caps, and costs nothing', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  const agent = await agentOf(someone, { systemPrompt: '[[say done]]', creditsPerMonth: 1 })
  t.is((await ended(someone, (await start(someone, agent)).body.id)).status, 'completed')
  const { failure } = await start(someone, agent)
  t.is(failure.code, 'NO_CREDITS')
  t.regex(failure.error, /monthly credit cap/)
  t.is((await billingOf(someone)).balance, 0)
})

test('the tokens of a month are a limit: a run waits, and goes on once an admin raises it', async (t) => {
  const { platform, root } = await open()
  const someone = await person(platform)
  const userId = await userIdOf(someone)
  const limit = (tokensPerMonth: number | null) =>
    call(root, adminUsers.giveTier, { params: { userId }, body: { limits: { tokensPerMonth } } })
  t.is((await limit(1)).status, 200)
  const agent = await webhookAgent(someone, { systemPrompt: '[[call nothing {}]]' })
  const { body: first } = await deliver(someone, agent, { number: 1 })
  t.is((await waiting(someone, first.runId)).waitingCause, 'credits')
  const { failure } = await deliver(someone, agent, { number: 2 })
  t.is(failure.code, 'NO_CREDITS')
  t.regex(failure.error, /account's monthly limit for model tokens .* operator .* next month/)
  t.is((await limit(null)).status, 200)
  t.is((await ended(someone, first.runId)).status, 'completed')
})
