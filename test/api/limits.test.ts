import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as agentRuns from '../../api/agent-runs.ts'
import * as auth from '../../api/auth.ts'
import * as audit from '../../api/audit.ts'
import * as apiKeys from '../../api/api-keys.ts'
import type { AnyRoute, Limit } from '../../api/route/route.ts'
import { limitOf } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import { tierOf, type TierName } from '../../src/billing/tiers.ts'
import { readConfig } from '../../src/config/config.ts'
import { createDatabase } from '../../src/database/database.ts'
import { isCoded } from '../../src/errors.ts'
import { newId } from '../../src/ids.ts'
import { createLogger } from '../../src/logger.ts'
import { createRateLimits, type RateLimits } from '../../src/rate-limit.ts'
import { call, type Client } from '../helpers/client.ts'
import { agentOf, customer, deliver, person, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform, testKeys, type Platform } from '../helpers/platform.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { firstTime } from './first-time.ts'

/** Behind a proxy, so that requests come from addresses of the test's own; what is counted can be read in Postgres. */
const house = forWholeFile(test, 'limits', (t) =>
  startPlatform(t, {
    env: { RATE_LIMIT_STORE: 'postgres', TRUSTED_PROXIES: '1', RATE_LIMIT_WEBHOOK_PER_MINUTE: '2' },
  }),
)

/** Which of the platform's limits counts a route; whatever is not here counts by its caller. */
const counted: Partial<Record<Limit, string[]>> = {
  address:
    'acceptTerms changeEmail changePassword createFirstAdmin linkIdentity confirmTotp deleteAccount forgotPassword login logout logoutEverywhere previewInvitation refresh register removeTotp renewRecoveryCodes resetPassword sendVerification startTotp verifyEmail'.split(
      ' ',
    ),
  browser: [
    'finishForeignOAuth',
    'finishOAuth',
    'finishSignIn',
    'goToProvider',
    'goToSite',
    'openAppRequest',
    'startSignIn',
  ],
  none: 'getDelivery receiveStripeEvent receiveWebhook withdrawDelivery healthz readyz readSigningKeys readOAuthClient readToolsiteSchema listSignInProviders listTiers'.split(
    ' ',
  ),
}
const limitOfName = (name: string): Limit =>
  (Object.entries(counted) as [Limit, string[]][]).find(([, names]) => names.includes(name))?.[0] ?? 'caller'

async function countsOf({ services }: Platform): Promise<Record<string, number>> {
  const rows = await services.database('rateLimits').select<{ key: string; points: number }[]>('key', 'points')
  return Object.fromEntries(rows.map(({ key, points }) => [key, points]))
}

/** What is counted, and where, while the work is done. Nothing else may be under way. */
async function countedBy(platform: Platform, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countsOf(platform)
  await work()
  const after = Object.entries(await countsOf(platform))
  return Object.fromEntries(
    after.map(([key, points]) => [key, points - (before[key] ?? 0)] as const).filter(([, more]) => more > 0),
  )
}

let addresses = 0
const newAddress = (): string => `192.0.2.${(addresses += 1)}`

/** Asks a route for what is not there; every limit counts before that is noticed. */
const ask = (client: Client, route: AnyRoute, address: string, more: Record<string, string> = {}) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const params = Object.fromEntries(names.map((name) => [name, newId()]))
  const raw = route.body ? { raw: '{}' } : {}
  return call(client, route, {
    params,
    ...raw,
    headers: { 'x-forwarded-for': address, accept: 'application/json', ...more },
  })
}

/** Somebody with a login and an API key, as each is to be counted. */
async function callers(platform: Platform): Promise<{ client: Client; key: string; account: string }[]> {
  const someone = await person(platform)
  const body = { name: 'A key', scopes: ['read' as const, 'write' as const] }
  const { key, id } = (await call(someone, apiKeys.createApiKey, { body })).body
  const { id: userId } = (await call(someone, auth.me)).body
  return [
    { client: someone, key: `caller:${userId}`, account: `account:${userId}` },
    { client: { url: someone.url, token: key }, key: `caller:${id}`, account: `account:${userId}` },
  ]
}

test('every route is counted by the limit that is meant for it', (t) => {
  for (const route of routes) t.is(limitOf(route), limitOfName(route.name), route.name)
  const names = new Set(routes.map(({ name }) => name))
  for (const name of Object.values(counted).flat()) t.true(names.has(name), name)
})

/** Of the routes that a limit counts by the same code, the first one. */
function firstOfEachKind(isOne: (route: AnyRoute) => boolean): AnyRoute[] {
  const isNew = firstTime()
  return routes.filter(
    (route) => isOne(route) && isNew(route.proof, `${route.access} ${route.browser} ${route.method}`),
  )
}

test.serial('a limit of callers counts each user and each API key for itself, and their account', async (t) => {
  const platform = await house()
  const clients = await callers(platform)
  for (const route of firstOfEachKind((one) => limitOf(one) === 'caller' && one.access !== 'anyone'))
    for (const { client, key, account } of clients) {
      const counts = await countedBy(platform, () => ask(client, route, newAddress()))
      t.deepEqual(withoutOthers(counts), { [key]: 1, [account]: 1 }, route.name)
    }
})

test.serial('a limit of sessions counts each session for itself, and the account of its owner', async (t) => {
  const platform = await house()
  for (const route of firstOfEachKind(({ proof }) => proof?.account !== undefined)) {
    const someone = await person(platform)
    const { id: userId } = (await call(someone, auth.me)).body
    const { id, token } = await sessionOf(someone)
    const headers = { 'x-session-token': token }
    const counts = await countedBy(platform, () => ask({ url: platform.url }, route, newAddress(), headers))
    t.deepEqual(withoutOthers(counts), { [`caller:${id}`]: 1, [`account:${userId}`]: 1 }, route.name)
  }
})

/** A route that takes no body mails, or changes something, at once, which has limits of its own. */
const withoutOthers = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([key]) => !/^(account-mail|changes(-of-day)?):/.test(key)))

/** By the prefix under which the counter of the limit keeps its keys. */
const byAddress = { address: 'auth', browser: 'browser' } as const

test.serial(
  'limits of addresses count each address for itself, and a route without a limit counts nothing',
  async (t) => {
    const platform = await house()
    for (const [limit, prefix] of Object.entries(byAddress))
      for (const route of firstOfEachKind((one) => limitOf(one) === limit)) {
        const someone = await person(platform)
        for (const address of [newAddress(), newAddress()]) {
          const counts = await countedBy(platform, () => ask(someone, route, address))
          t.deepEqual(withoutOthers(counts), { [`${prefix}:${address}`]: 1 }, route.name)
        }
      }
    for (const route of firstOfEachKind((one) => limitOf(one) === 'none'))
      t.deepEqual(await countedBy(platform, () => ask(platform, route, newAddress())), {}, route.name)
  },
)

const provingRoutes = routes.filter(({ proof }) => proof?.codes.includes('WEBHOOK_SECRET_INVALID'))

test.serial('deliveries are counted by agent, from wherever they come', async (t) => {
  const platform = await house()
  const { config, rateLimits } = platform.services
  const [agent, other] = [await webhookAgent(await customer(platform)), await webhookAgent(await customer(platform))]
  for (let left = config.rateLimits.webhookPerMinute; left > 1; left -= 1) await rateLimits.webhook(agent.id)
  const from = async (address: string, to = agent) =>
    (await deliver(platform, to, {}, { 'x-forwarded-for': address })).status
  const address = newAddress()
  t.is(await from(address), 202)
  t.is(await from(newAddress()), 429)
  t.is(await from(address, other), 202)
})

test.serial('deliveries to all agents of an owner are counted together, and not with those of others', async (t) => {
  const platform = await house()
  const [someone, other] = [await customer(platform), await customer(platform)]
  const { id: ownerId } = (await call(someone, auth.me)).body
  await platform.services.database('accounts').where({ ownerId }).update({ limits: '{"deliveriesPerMinute":3}' })
  const agents = [await webhookAgent(someone), await webhookAgent(someone)]
  const codes = []
  for (const agent of [...agents, ...agents, await webhookAgent(other)]) {
    const answer = await deliver(platform, agent, {})
    codes.push(answer.status === 202 ? 202 : answer.failure.code)
  }
  t.deepEqual(codes, [202, 202, 202, 'RATE_LIMITED', 202])
})

test.serial('a delivery that a limit refuses is counted once, although it is judged twice', async (t) => {
  const platform = await house()
  const someone = await customer(platform)
  const { id: ownerId } = (await call(someone, auth.me)).body
  const limits = '{"deliveriesPerMinute":6,"inputBytesPerMinute":1000000}'
  await platform.services.database('accounts').where({ ownerId }).update({ limits })
  const send = async () => deliver(platform, await webhookAgent(someone), { text: 'x'.repeat(900_000) })
  t.is((await send()).status, 202)
  for (let count = 2; count <= 6; count += 1) t.regex((await send()).failure.error, /input limit/, `delivery ${count}`)
})

type OfSettings = Exclude<
  keyof RateLimits,
  | 'purge'
  | 'account'
  | 'accountMail'
  | 'delivery'
  | 'inputBytes'
  | 'inspection'
  | 'recoveryOf'
  | 'registration'
  | 'tries'
>

/** The setting of each limit, and how many requests each allows in the test below. */
const settings: Record<OfSettings, [string, number]> = {
  recovery: ['RATE_LIMIT_RECOVERY_PER_HOUR', 8],
  change: ['RATE_LIMIT_CHANGES_PER_MINUTE', 9],
  caller: ['RATE_LIMIT_PER_MINUTE', 3],
  auth: ['RATE_LIMIT_AUTH_PER_MINUTE', 4],
  browser: ['RATE_LIMIT_BROWSER_PER_MINUTE', 5],
  webhook: ['RATE_LIMIT_WEBHOOK_PER_MINUTE', 6],
  webhookFailed: ['RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE', 7],
}

function limitsWith(t: ExecutionContext, env: Record<string, string> = {}): RateLimits {
  const config = readConfig({ DATABASE_URL: 'postgres://localhost/nothing', ...testKeys, ...env })
  const database = createDatabase(config, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return createRateLimits({ database, config: { rateLimits: { ...config.rateLimits, store: 'memory' } } })
}

test('each limit is the one of its own setting, and counts each key for itself and apart from the other limits', async (t) => {
  const env = Object.fromEntries(Object.values(settings).map(([name, points]) => [name, String(points)]))
  const limits = limitsWith(t, env)
  t.deepEqual(
    Object.keys(limits).toSorted(),
    [
      ...Object.keys(settings),
      'account',
      'accountMail',
      'delivery',
      'inputBytes',
      'inspection',
      'purge',
      'recoveryOf',
      'registration',
      'tries',
    ].toSorted(),
  )
  for (const [name, [, points]] of Object.entries(settings) as [keyof typeof settings, [string, number]][])
    for (const key of ['the same key for all', 'another'])
      t.is(await allowed(() => limits[name](key)), points, `${name} of ${key}`)
})

/** How many requests a limit lets one key make. */
async function allowed(count: () => Promise<void>): Promise<number> {
  for (let made = 0; ; made += 1) {
    try {
      await count()
    } catch (error) {
      if (isCoded(error, 'RATE_LIMITED')) return made
      throw error
    }
  }
}

const of = (tier: TierName) => ({ tier, limits: tierOf(tier).limits })

/** What an owner may do in a minute, over all keys or agents. */
const ofAnOwner: [
  what: string,
  tier: TierName,
  most: number,
  limit: (limits: RateLimits, owner: string) => Promise<void>,
][] = [
  ['requests', 'team', 1800, (limits, owner) => limits.account(owner, of('team'))],
  ['inputs of 1 MiB at once', 'free', 1, (limits, owner) => limits.inputBytes(owner, of('free'), 1024 ** 2)],
  ['deliveries', 'pro', 6000, (limits, owner) => limits.delivery(owner, of('pro'))],
  [
    'deliveries of 1 MiB within six seconds',
    'team',
    25,
    (limits, owner) => limits.inputBytes(owner, of('team'), 1024 ** 2),
  ],
]
for (const [what, tier, most, limit] of ofAnOwner)
  test(`an owner of the tier ${tier} may have ${most} ${what} in a minute, and no other’s are counted`, async (t) => {
    const limits = limitsWith(t)
    for (const owner of ['one', 'another']) t.is(await allowed(() => limit(limits, owner)), most)
    const refused = await t.throwsAsync(limit(limits, 'one'), { code: 'RATE_LIMITED' })
    t.regex(refused?.message ?? '', /limit of .* a minute \(.* tier\).*\. Try again in \d+ seconds?\.$/)
  })

test('each owner may do what its own limits allow, and at least what the settings allow everybody', async (t) => {
  const limits = limitsWith(t, { RATE_LIMIT_PER_MINUTE: '4', RATE_LIMIT_WEBHOOK_PER_MINUTE: '4' })
  for (const [owner, given, most] of [
    ['one', 6, 6],
    ['another', 9, 9],
    ['a third', 2, 4],
  ] as const) {
    const own = { requestsPerMinute: given, deliveriesPerMinute: given, inputBytesPerMinute: 1 }
    t.is(await allowed(() => limits.account(owner, { tier: null, limits: own })), most, `requests of ${owner}`)
    t.is(await allowed(() => limits.delivery(owner, { tier: null, limits: own })), most, `deliveries to ${owner}`)
  }
})

test('a compressed input counts with the bytes that it has when it is inflated', async (t) => {
  const someone = await person(await house())
  const agent = await agentOf(someone, { systemPrompt: '[[say done]]' })
  const give = (input: unknown) =>
    call(someone, agentRuns.startRun, {
      params: { agentId: agent.id },
      raw: gzipSync(JSON.stringify({ input })),
      headers: { 'content-encoding': 'gzip' },
    })
  for (let number = 0; number < 3; number += 1) t.not((await give(number)).status, 429, 'a small one')
  t.not((await give('a'.repeat(1_000_000))).status, 429)
  const refused = (await give('a'.repeat(1_000_000))).failure
  t.is(refused.code, 'RATE_LIMITED')
  t.regex(refused.error, /^This account's runs have exceeded their input limit/)
  const params = { agentId: agent.id }
  t.not((await call(someone, agentRuns.startRun, { params })).status, 429, 'no input, nothing to count')
})

test('who has failed too often with a webhook’s proof is refused on each of its routes, and nobody at another address', async (t) => {
  const platform = await startPlatform(t, { env: { RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '3', TRUSTED_PROXIES: '1' } })
  const agent = await webhookAgent(await customer(platform))
  t.is(provingRoutes.length, 3)
  const send = async (route: AnyRoute, address: string, secret: string) => {
    const headers = { 'x-forwarded-for': address, 'x-webhook-secret': secret }
    const raw = route.rawBody ? { raw: '{}' } : {}
    return (await call(platform, route, { params: { agentId: agent.id, runId: newId() }, headers, ...raw })).status
  }
  for (const route of provingRoutes) {
    const [bad, good] = [newAddress(), newAddress()]
    const statuses: number[] = []
    for (let tried = 0; tried < 4; tried += 1) statuses.push(await send(route, bad, 'wrong'))
    t.deepEqual(statuses, [401, 401, 401, 429], route.name)
    t.is(await send(route, good, 'wrong'), 401, route.name)
    const right = [await send(route, good, agent.webhookSecret), await send(route, bad, agent.webhookSecret)]
    t.deepEqual(right, route.rawBody ? [202, 202] : [404, 404], 'a right proof is no failed one')
  }
})

// @promise limits
test('an account makes so many changes a minute by whatever login or key, and goes on reading; others are not counted', async (t) => {
  const platform = await startPlatform(t, { env: { RATE_LIMIT_CHANGES_PER_MINUTE: '6' } })
  const [someone, other] = [await person(platform), await person(platform)]
  const agent = await agentOf(someone)
  const pause = (by: Person) => call(by, agents.pauseAgent, { params: { agentId: agent.id } })
  const statuses: number[] = []
  for (let made = 0; made < 8; made += 1) statuses.push((await pause(someone)).status)
  t.is(statuses.at(-1), 429)
  t.true(statuses.includes(200))
  const { items } = (await call(someone, audit.listAudit, { query: { action: 'pauseAgent' } })).body
  t.is(items.length, statuses.filter((status) => status === 200).length, 'what is refused leaves no entry')
  t.is((await call(someone, auth.me)).status, 200)
  t.truthy((await agentOf(other)).id)
})
