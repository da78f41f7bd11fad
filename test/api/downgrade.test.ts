import test from 'ava'
import * as adminClock from '../../api/admin-clock.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as notifications from '../../api/notifications.ts'
import * as statements from '../../api/statements.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { createFitToLimits } from '../../src/billing/fit-to-limits.ts'
import { later } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { newOwner } from '../helpers/owner.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { join, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

const open = sharedPlatform(test, 'idle')

/** Makes so many, one after the other. */
async function repeated<T>(times: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let nth = 0; nth < times; nth += 1) made.push(await make())
  return made
}

test('what exceeds the limits of a lower tier rests, is reported, and goes on when there is room', async (t) => {
  const platform = await open()
  const [someone, admin] = [await newOwner(t, platform), await adminOf(platform)]
  const userId = await userIdOf(someone)
  const made = await repeated(6, () => agentOf(someone))
  const keyed = { body: { name: 'A key', scopes: ['read' as const] } }
  const keys = await repeated(5, async () => (await call(someone, apiKeys.createApiKey, keyed)).body)
  await call(someone, agents.pauseAgent, { params: { agentId: made[5]!.id } })
  const { vaultEntryId: entryId } = await someone.site()
  const { database } = platform.services
  const { id: _, ...like } = (await VaultEntry.query(database).findById(entryId).throwIfNotFound()).toJSON()
  for (let nth = 0; nth < 5; nth += 1) {
    const [id, createdAt] = [newId(), new Date(Date.now() - 60_000)]
    const own = { id, origin: `https://${id}.example.com`, createdAt }
    await VaultEntry.query(database).insert({ ...like, ...own } as Partial<VaultEntry>)
  }
  const pausedOnes = async () => {
    const { items } = (await call(someone, agents.listAgents)).body
    return made.flatMap(({ id }, nth) => (items.some((one) => one.id === id && one.pausedAt !== null) ? [nth] : []))
  }
  const callTool = () =>
    call(someone, vault.callTool, { params: { entryId, toolName: 'echo_text' }, body: { text: 'hello' } })
  t.is((await callTool()).status, 200)
  t.deepEqual(await pausedOnes(), [5])

  await call(someone, billing.cancelSubscription)
  const body = { seconds: 31 * 86_400 }
  await call(admin, adminClock.advanceClock, { params: { userId }, body }).then((answer) => answer.body)
  const left = (await call(someone, billing.getBilling)).body
  t.like(left, { tier: 'free', exceeding: { agents: 3, vaultSites: 1, apiKeys: 2, workspaces: 0 } })
  t.deepEqual(await pausedOnes(), [3, 4, 5], 'the newest')
  const resumed = await call(someone, agents.resumeAgent, { params: { agentId: made[3]!.id } })
  t.is(resumed.failure.code, 'AGENT_LIMIT_REACHED')
  const withKey = (nth: number) => call({ url: platform.url, token: keys[nth]!.key }, agents.listAgents)
  t.is((await withKey(2)).status, 200)
  t.is((await withKey(3)).failure.code, 'PERMISSION_DENIED')
  t.regex((await callTool()).failure.error, /the account is over its site limit/)
  const allTold = async () =>
    (await call(someone, notifications.listNotifications, { query: { kind: 'limits_exceeded' } })).body.items
  const told = await allTold()
  t.is(told.length, 1)
  t.regex(told[0]!.message, /3 agents are paused, 1 site in the vault is disabled, 2 API keys are disabled/)

  // What is deleted makes room for the oldest that rests.
  const { items } = (await call(someone, vault.listVault)).body
  const old = items.find(({ id }) => id !== entryId)?.id ?? ''
  t.is((await call(someone, vault.removeFromVault, { params: { entryId: old } })).status, 204)
  await platform.services.sweep.attend(userId)
  t.is((await callTool()).status, 200)
  t.is((await call(someone, apiKeys.deleteApiKey, { params: { apiKeyId: keys[0]!.id } })).status, 204)
  await platform.services.sweep.attend(userId)
  t.is((await withKey(3)).status, 200)
  t.is((await withKey(4)).failure.code, 'PERMISSION_DENIED')
  await call(someone, agents.deleteAgent, { params: { agentId: made[0]!.id } })
  await platform.services.sweep.attend(await userIdOf(someone))
  t.deepEqual(await pausedOnes(), [4, 5], 'the oldest that rested goes on')
  t.is((await allTold()).length, 1, 'and what rests still was told')
  await call(someone, billing.subscribe, { body: { tier: 'pro' } })
  await platform.services.sweep.attend(await userIdOf(someone))
  t.deepEqual(await pausedOnes(), [5], 'its owner has paused it')
  t.is((await withKey(4)).status, 200)
  t.is((await callTool()).status, 200)
  t.like((await call(someone, billing.getBilling)).body.exceeding, { agents: 0, vaultSites: 0, apiKeys: 0 })
  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.sweep.attend(await userIdOf(someone))
  t.is((await allTold()).length, 2, 'the next time is told of again')
  t.deepEqual(await pausedOnes(), [4, 5])
})

test('once an installation has tiers, or has none any more, accounts are fitted that were fitted before', async (t) => {
  const platform = await open()
  const { database, exceeding, config } = platform.services
  const without = createFitToLimits({ ...platform.services, config: { billing: { ...config.billing, mode: 'off' } } })
  const begin = new Date()
  for (const [fittedTier, exceeds, { afterChange }, isAnew] of [
    ['off', false, exceeding, true],
    ['pro', true, exceeding, false],
    ['pro', true, without, true],
    ['pro', false, without, false],
    ['off', true, without, false],
  ] as const) {
    const account = database('accounts').where({ ownerId: await userIdOf(await customer(platform)) })
    await account.clone().update({ fittedTier, exceeds, lookAt: later(begin, 86_400) })
    await afterChange()
    const { lookAt } = await account.first()
    t.is(lookAt < later(begin, 3600), isAnew, `${fittedTier} ${exceeds} ${isAnew}`)
  }
})

test('an agent that rests can be paused, and stays so when there is room', async (t) => {
  const platform = await open()
  const someone = await customer(platform, 'pro')
  const made = await repeated(5, () => agentOf(someone))
  const change = async (route: typeof agents.pauseAgent | typeof agents.resumeAgent, nth: number) =>
    call(someone, route, { params: { agentId: made[nth]!.id } })
  const queue = platform.services.database('agent_queues').where({ agentId: made[4]!.id })
  await queue.clone().update({ blockedCause: 'tier', blockedSince: new Date(0) })
  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.sweep.attend(await userIdOf(someone))
  t.like(await queue, [{ blockedCause: 'paused' }], 'so what it has queued is kept')
  const before = (await call(someone, agents.getAgent, { params: { agentId: made[4]!.id } })).body.pausedAt
  const paused = (await change(agents.pauseAgent, 4)).body.pausedAt
  t.not(paused, before)
  t.is((await change(agents.pauseAgent, 4)).body.pausedAt, paused, 'it is safe to repeat')
  t.regex((await change(agents.resumeAgent, 4)).failure.error, /you have also paused this agent/)
  await call(someone, billing.subscribe, { body: { tier: 'pro' } })
  await platform.services.sweep.attend(await userIdOf(someone))
  const { items } = (await call(someone, agents.listAgents)).body
  const pausedOnes = items.filter(({ pausedAt }) => pausedAt !== null).map(({ id }) => id)
  t.deepEqual(pausedOnes, [made[4]!.id])
  t.is((await change(agents.resumeAgent, 4)).body.pausedAt, null)
})

test('workspaces that a lower tier closes are told of, and what they have used can still be read', async (t) => {
  const platform = await open()
  const someone = await customer(platform, 'team')
  const { body: workspace } = await call(someone, workspaces.createWorkspace, { body: { name: 'Together' } })
  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.sweep.attend(await userIdOf(someone))
  const query = { kind: 'limits_exceeded' as const }
  const told = (await call(someone, notifications.listNotifications, { query })).body.items
  t.regex(told[0]?.message ?? '', /: 1 workspace is closed\. They will resume/)
  const of = { query: { workspaceId: workspace.id } }
  for (const { status } of [
    await call(someone, billing.getBilling, of),
    await call(someone, billing.listLedger, of),
    await call(someone, statements.listStatements, of),
    await call(someone, statements.getStatement, { params: { month: '2026-11' }, ...of }),
  ])
    t.is(status, 200)
  await call(someone, workspaces.deleteWorkspace, { params: { workspaceId: workspace.id } })
  await platform.services.sweep.attend(await userIdOf(someone))
  const ownerId = await userIdOf(someone)
  t.like(await platform.services.database('accounts').where({ ownerId }).first(), { exceeds: false })
})

test('a change of the tier is previewed as it would come, and the preview changes nothing', async (t) => {
  const platform = await open()
  const someone = await customer(platform, 'team')
  const { body: workspace } = await call(someone, workspaces.createWorkspace, { body: { name: 'Together' } })
  await repeated(2, () => agentOf(someone))
  const shared = await repeated(3, () => agentOf(someone, { workspaceId: workspace.id }))
  const keyOf = (within = {}) =>
    call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'], ...within } })
  // One that has expired, and those of the workspace of somebody else, take no place.
  const { body: expired } = await keyOf()
  await platform.services.database('api_keys').where({ id: expired.id }).update({ expiresAt: new Date() })
  const { id: elsewhere } = await workspaceOf(await customer(platform, 'team'))
  await join(platform, elsewhere, someone, 'admin')
  for (const within of [{ workspaceId: elsewhere }, {}, {}, {}, {}]) t.is((await keyOf(within)).status, 201)
  const before = (await call(someone, billing.getBilling)).body
  const preview = async (query: { tier: 'free' | 'pro' | 'team' | 'enterprise'; when?: 'now' | 'period_end' }) =>
    (await call(someone, billing.previewSubscription, { query })).body

  const free = await preview({ tier: 'free' })
  t.like(free, { at: 'period_end', effectiveAt: before.subscription?.currentPeriodEnd, centsPerMonth: 0 })
  t.deepEqual(free.lostFeatures, ['webhooks', 'workspaces'])
  t.deepEqual(free.exceeding, { agents: 2, vaultSites: 0, apiKeys: 1, workspaces: 1 })
  t.like(free.resting, [{ kind: 'agents', id: shared[2]?.id }, { id: shared[1]?.id }])
  t.like(free.resting.at(-1), { kind: 'workspaces', id: workspace.id })
  t.like(await preview({ tier: 'pro' }), { at: 'period_end', cents: 0, exceeding: { agents: 0, workspaces: 1 } })
  t.like(await preview({ tier: 'pro', when: 'now' }), { at: 'now', cents: null })
  t.like(await preview({ tier: 'enterprise' }), { at: 'now', cents: null, centsPerMonth: 100_000 })
  t.deepEqual((await call(someone, billing.getBilling)).body, before, 'nothing was changed')
  const own = platform.services.database('accounts').where({ ownerId: await userIdOf(someone) })
  await own.clone().update({ limits: '{"agents":4}' })
  t.like(await preview({ tier: 'free' }), { exceeding: { agents: 1, apiKeys: 1 } }, 'limits of its own count')
  await own.clone().update({ limits: null, givenTier: 'team' })
  t.like(
    await preview({ tier: 'free' }),
    { lostFeatures: [], exceeding: { agents: 0, workspaces: 0 } },
    'a given tier, too',
  )
  await own.update({ givenTier: null })

  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.exceeding.fit(await userIdOf(someone))
  t.deepEqual((await call(someone, billing.getBilling)).body.exceeding, free.exceeding)
})
