// @promise money-by-default
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as notifications from '../../api/notifications.ts'
import * as why from '../../api/why.ts'
import * as adminClock from '../../api/admin-clock.ts'
import * as adminCredits from '../../api/admin-credits.ts'
import * as adminUsers from '../../api/admin-users.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import * as paymentSetup from '../../api/payment-setup.ts'
import * as workspaces from '../../api/workspaces.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, deliver, ended, person, runOf, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { start, waiting } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

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
  const { id: userId } = (await call(someone, auth.me)).body
  const body = { credits: 1000 }
  const refused = [
    await call(someone, billing.subscribe, { body: { tier: 'enterprise' } }),
    await call(someone, billing.cancelSubscription),
    await call(someone, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }),
    await call(someone, paymentSetup.setUpPaymentMethod),
    await call(someone, payments.buyCredits, { body }),
    await call(someone, payments.setTopUp, { body: { isOn: true, below: 10, credits: 100, centsPerMonth: 1000 } }),
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
  t.regex(clock.failure.error, /has no sandbox/)
})

test('what a limit refuses says how to get more, and names no payment', async (t) => {
  const { platform, root } = await open()
  const someone = await person(platform)
  const { id: userId } = (await call(someone, auth.me)).body
  const limit = (limits: object) => call(root, adminUsers.giveTier, { params: { userId }, body: { limits } })
  const agent = await agentOf(someone)
  await limit({ agents: 0, apiKeys: 0, workspaces: 0, vaultSites: 0 })
  const params = { agentId: agent.id }
  const refused = [
    await call(someone, agents.resumeAgent, { params }),
    await call(someone, apiKeys.createApiKey, { body: { name: 'ci', scopes: ['read'] } }),
    await call(someone, workspaces.createWorkspace, { body: { name: 'All of us' } }),
  ]
  for (const { failure } of refused) t.regex(failure.error, /operator of this platform can raise the limit\.$/)
  const { causes } = (await call(someone, why.whyAgent, { params })).body
  t.like(causes[0], { code: 'PAUSED' })
  t.notRegex(JSON.stringify(causes), /subscription|payment method/)
  const { failure } = await limit({ tokensPerMonth: 1e30 })
  t.regex(JSON.stringify(failure), /9007199254740991/)
})

test('the ledger says what was used, in tokens, and nothing is owed', async (t) => {
  const { platform } = await open()
  const someone = await person(platform)
  const { body: run } = await start(someone, await agentOf(someone, { systemPrompt: '[[say Hello.]]' }))
  const { inputTokens, outputTokens } = await ended(someone, run.id)
  const [entry] = (await call(someone, billing.listLedger)).body.items
  t.like(entry, { kind: 'step', credits: 0, balanceAfter: 0, tokens: inputTokens + outputTokens })
  t.like(await billingOf(someone), { balance: 0, tokens: { used: inputTokens + outputTokens } })
})

test('the tokens of a month are a limit: a run waits, and goes on once an admin raises it', async (t) => {
  const { platform, root } = await open()
  const someone = await person(platform)
  const { id: userId } = (await call(someone, auth.me)).body
  const limit = (tokensPerMonth: number | null) =>
    call(root, adminUsers.giveTier, { params: { userId }, body: { limits: { tokensPerMonth } } })
  t.is((await limit(1)).status, 200)
  const agent = await webhookAgent(someone, { systemPrompt: '[[call nothing {}]]' })
  const { body: first } = await deliver(someone, agent, { number: 1 })
  t.is((await waiting(someone, first.runId)).waitingCause, 'credits')
  const { failure } = await deliver(someone, agent, { number: 2 })
  t.is(failure.code, 'NO_CREDITS')
  t.regex(failure.error, /limit of the account for tokens .* operator .* next month/)
  t.is((await limit(null)).status, 200)
  t.is((await ended(someone, first.runId)).status, 'completed')
})

test('what is queued when the tokens of the month are used up stays queued, and its owner reads that', async (t) => {
  const { platform, root } = await open()
  const { services } = platform
  const someone = await person(platform)
  const { id: userId } = (await call(someone, auth.me)).body
  const limit = (tokensPerMonth: number | null) =>
    call(root, adminUsers.giveTier, { params: { userId }, body: { limits: { tokensPerMonth } } })
  const agent = await webhookAgent(someone, { systemPrompt: '[[call nothing {}]]' })
  const params = { agentId: agent.id }
  await call(someone, agents.pauseAgent, { params })
  const { runId } = (await deliver(someone, agent, { number: 1 })).body
  await limit(0)
  await call(someone, agents.resumeAgent, { params })
  await eventually(20, 'it has been blocked for longer than a debt may block it', async () => {
    const queue = await services.database('agent_queues').where({ agentId: agent.id }).first()
    const { blockedCause, blockedSince } = queue as { blockedCause: string | null; blockedSince: Date | null }
    return (blockedCause === 'credits' && Date.now() - Number(blockedSince) > 4000) || undefined
  })
  await services.runs.reconciler.round(new AbortController().signal)
  t.is((await runOf(someone, runId)).status, 'queued')
  const { causes } = (await call(someone, why.whyRun, { params: { runId } })).body
  t.like(causes[0], { code: 'CREDITS', until: null })
  const { items } = (await call(someone, notifications.listNotifications)).body
  const told = items.find(({ kind }) => kind === 'queue_blocked')
  t.regex(told?.message ?? '', /limit of the account for tokens .* stay queued in order\.$/)
  await limit(null)
  t.is((await ended(someone, runId)).status, 'completed')
})

test('of many runs at once, only as many begin a step as there are tokens that nobody else holds', async (t) => {
  const { platform, root } = await open()
  const someone = await person(platform)
  const { id: userId } = (await call(someone, auth.me)).body
  await call(root, adminUsers.giveTier, { params: { userId }, body: { limits: { tokensPerMonth: 15_000 } } })
  const agents = await Promise.all(Array.from({ length: 4 }, () => agentOf(someone, { systemPrompt: '[[sleep 3]]' })))
  for (const agent of agents) await start(someone, agent)
  const heldTokens = (): Promise<number[]> =>
    platform.services.database('credit_holds').where({ ownerId: userId }).pluck('tokens')
  const held = await eventually(10, 'two steps are under way', async () => {
    const tokens = await heldTokens()
    return tokens.length > 1 ? tokens : undefined
  })
  t.deepEqual(
    held.toSorted((one, other) => one - other),
    [5000, 10_000],
  )
})
