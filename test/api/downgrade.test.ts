import test from 'ava'
import * as adminClock from '../../api/admin-clock.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as notifications from '../../api/notifications.ts'
import * as statements from '../../api/statements.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { newId } from '../../src/ids.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { agentOf, connectBadTools, customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { userIdOf } from '../helpers/workspaces.ts'

const house = forWholeFile(test, 'tiers that change', async (t) => {
  const sites = await startSites(t)
  const platform = await startPlatform(t, { sites })
  return { sites, platform, admin: await adminOf(platform) }
})

const day = 86_400

/** Makes so many, one after the other. */
async function repeated<T>(times: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let nth = 0; nth < times; nth += 1) made.push(await make())
  return made
}

test.serial('what exceeds the limits of a lower tier rests, is reported, and goes on when there is room', async (t) => {
  const { platform, admin, sites } = await house()
  const someone = await customer(platform, 'pro')
  const userId = await userIdOf(someone)
  const advance = (seconds: number) =>
    call(admin, adminClock.advanceClock, { params: { userId }, body: { seconds } }).then(({ body }) => body)
  const made = await repeated(6, () => agentOf(someone))
  const keyed = { body: { name: 'A key', scopes: ['read' as const] } }
  const keys = await repeated(5, async () => (await call(someone, apiKeys.createApiKey, keyed)).body)
  await call(someone, agents.pauseAgent, { params: { agentId: made[5]!.id } })
  const entryId = await connectBadTools(someone, sites)
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
  await advance(31 * day)
  const { body } = await call(someone, billing.getBilling)
  t.like(body, { tier: 'free', exceeding: { agents: 3, vaultSites: 1, apiKeys: 2, workspaces: 0 } })
  t.deepEqual(await pausedOnes(), [3, 4, 5], 'the newest')
  const resumed = await call(someone, agents.resumeAgent, { params: { agentId: made[3]!.id } })
  t.is(resumed.failure.code, 'AGENT_LIMIT_REACHED')
  const withKey = (nth: number) => call({ url: platform.url, token: keys[nth]!.key }, agents.listAgents)
  t.is((await withKey(2)).status, 200)
  t.is((await withKey(3)).failure.code, 'PERMISSION_DENIED')
  t.regex((await callTool()).failure.error, /limits of the account do not allow so many sites/)
  const told = (await call(someone, notifications.listNotifications, { query: { kind: 'limits_exceeded' } })).body.items
  t.is(told.length, 1)
  t.regex(told[0]!.message, /3 agents are paused; 1 site of the vault is not called; 2 API keys are refused/)

  await call(someone, agents.deleteAgent, { params: { agentId: made[0]!.id } })
  await platform.services.sweep.round()
  t.deepEqual(await pausedOnes(), [4, 5], 'the oldest that rested goes on')
  await call(someone, billing.subscribe, { body: { tier: 'pro' } })
  await platform.services.sweep.round()
  t.deepEqual(await pausedOnes(), [5], 'its owner has paused it')
  t.is((await withKey(3)).status, 200)
  t.is((await callTool()).status, 200)
  t.like((await call(someone, billing.getBilling)).body.exceeding, { agents: 0, vaultSites: 0, apiKeys: 0 })
})

test.serial('an agent that rests can be paused, and stays so when there is room', async (t) => {
  const { platform } = await house()
  const someone = await customer(platform, 'pro')
  const made = await repeated(5, () => agentOf(someone))
  const change = async (route: typeof agents.pauseAgent | typeof agents.resumeAgent, nth: number) =>
    call(someone, route, { params: { agentId: made[nth]!.id } })
  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.sweep.round()
  const before = (await call(someone, agents.getAgent, { params: { agentId: made[4]!.id } })).body.pausedAt
  const paused = (await change(agents.pauseAgent, 4)).body.pausedAt
  t.not(paused, before)
  t.is((await change(agents.pauseAgent, 4)).body.pausedAt, paused, 'it is safe to repeat')
  t.regex((await change(agents.resumeAgent, 4)).failure.error, /You have paused this one, too/)
  await call(someone, billing.subscribe, { body: { tier: 'pro' } })
  await platform.services.sweep.round()
  const { items } = (await call(someone, agents.listAgents)).body
  const pausedOnes = items.filter(({ pausedAt }) => pausedAt !== null).map(({ id }) => id)
  t.deepEqual(pausedOnes, [made[4]!.id])
  t.is((await change(agents.resumeAgent, 4)).body.pausedAt, null)
})

test.serial('workspaces that a lower tier closes are told of, and what they have used can still be read', async (t) => {
  const { platform } = await house()
  const someone = await customer(platform, 'team')
  const { body: workspace } = await call(someone, workspaces.createWorkspace, { body: { name: 'Together' } })
  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.sweep.round()
  const query = { kind: 'limits_exceeded' as const }
  const told = (await call(someone, notifications.listNotifications, { query })).body.items
  t.regex(told[0]?.message ?? '', /: 1 workspace is closed\. It goes on/)
  const of = { query: { workspaceId: workspace.id } }
  t.is((await call(someone, billing.getBilling, of)).status, 200)
  t.is((await call(someone, billing.listLedger, of)).status, 200)
  t.is((await call(someone, statements.listStatements, of)).status, 200)
  t.is((await call(someone, statements.getStatement, { params: { month: '2026-11' }, ...of })).status, 200)
  await call(someone, workspaces.deleteWorkspace, { params: { workspaceId: workspace.id } })
  await platform.services.sweep.round()
  t.like(
    await platform.services
      .database('accounts')
      .where({ ownerId: await userIdOf(someone) })
      .first(),
    {
      exceeds: false,
    },
  )
})

test.serial('a change of the tier is previewed as it would come, and the preview changes nothing', async (t) => {
  const { platform } = await house()
  const someone = await customer(platform, 'team')
  const { body: workspace } = await call(someone, workspaces.createWorkspace, { body: { name: 'Together' } })
  await repeated(2, () => agentOf(someone))
  const shared = await repeated(3, () => agentOf(someone, { workspaceId: workspace.id }))
  await repeated(4, () => call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } }))
  const before = (await call(someone, billing.getBilling)).body
  const preview = async (query: { tier: 'free' | 'pro' | 'team' | 'enterprise'; when?: 'now' | 'period_end' }) =>
    (await call(someone, billing.previewSubscription, { query })).body

  const free = await preview({ tier: 'free' })
  const end = before.subscription?.currentPeriodEnd
  t.like(free, {
    at: 'period_end',
    effectiveAt: end,
    cents: 0,
    centsPerMonth: 0,
    lostFeatures: ['webhooks', 'workspaces'],
  })
  t.deepEqual(free.exceeding, { agents: 2, vaultSites: 0, apiKeys: 1, workspaces: 1 })
  const named = free.resting.map(({ kind, id }) => [kind, id])
  t.deepEqual(named.slice(0, 2), [
    ['agents', shared[2]?.id],
    ['agents', shared[1]?.id],
  ])
  t.deepEqual(named.at(-1), ['workspaces', workspace.id])
  t.like(await preview({ tier: 'pro' }), { at: 'period_end', cents: 0, exceeding: { agents: 0, workspaces: 1 } })
  t.like(await preview({ tier: 'pro', when: 'now' }), { at: 'now', cents: null })
  t.like(await preview({ tier: 'team' }), { at: 'now', cents: 0, exceeding: { workspaces: 0 }, resting: [] })
  t.like(await preview({ tier: 'enterprise' }), { at: 'now', cents: null, centsPerMonth: 100_000 })
  t.deepEqual((await call(someone, billing.getBilling)).body, before, 'nothing was changed')

  await call(someone, billing.cancelSubscription, { query: { when: 'now' } })
  await platform.services.exceeding.fit(await userIdOf(someone))
  t.deepEqual((await call(someone, billing.getBilling)).body.exceeding, free.exceeding)
})
