// @promise at-once
import type { IncomingMessage, ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { liftUser } from '../../api/admin-users.ts'
import * as agentRuns from '../../api/agent-runs.ts'
import * as agentSecrets from '../../api/agent-secrets.ts'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as members from '../../api/members.ts'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import * as workspaceSignIn from '../../api/workspace-sign-in.ts'
import { listen } from '../../examples/sites/https-server.ts'
import { startBareOAuthSite, tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call, type Answer } from '../helpers/client.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { eventually } from '../helpers/eventually.ts'
import { hold, untilBlocked } from '../helpers/hold.ts'
import { adminOf, suspend } from '../helpers/admins.ts'
import { answering, manifestWith } from '../helpers/hostile-site.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { agentOf, customer, deliver, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { noteUses } from './stage.ts'
import { snapshot } from './snapshot.ts'

/* Requests that wait after they are complete: for a site that answers slowly, or for a lock. */

/** A site, and a sign-in provider, that answers once it is told to. */
async function startHeldSite(t: ExecutionContext, auth: object) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const waiting: (() => void)[] = []
  const site = {
    origin,
    host: new URL(origin).host,
    isHeld: false,
    waiting,
    release: () => waiting.splice(0).forEach((go) => go()),
  }
  const provider = {
    issuer: origin,
    authorization_endpoint: `${origin}/a`,
    token_endpoint: `${origin}/t`,
    jwks_uri: `${origin}/k`,
  }
  const oauthAddresses = { authorization_url: `${origin}/authorize`, token_url: `${origin}/token`, scopes: ['read'] }
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isProvider = request.url?.includes('openid-configuration')
    const manifest = manifestWith(`${origin}/api`, { auth: { ...oauthAddresses, ...auth } })
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isProvider ? provider : manifest))
    }
    if (site.isHeld) waiting.push(answer)
    else answer()
  })
  return site
}

const stage = forWholeFile(test, 'ended meanwhile', async (t) => {
  const [pasted, granted] = [await startHeldSite(t, { type: 'bearer' }), await startHeldSite(t, { type: 'oauth2' })]
  const [sites, bare] = [await startSites(t), await startBareOAuthSite(t)]
  const allow = [...sites.allow, pasted.host, granted.host, bare.host]
  const platform = await startPlatform(t, { sites: { ...sites, allow } })
  const boss = await customer(platform, 'enterprise')
  const { id: workspaceId } = await workspaceOf(boss)
  return { platform, pasted, granted, bare, boss, workspaceId }
})

type Opened = Awaited<ReturnType<typeof stage>>
type Refused = [refusal: RegExp, end: (opened: Opened, someone: Person) => Promise<unknown>]

const endings: Record<string, Refused> = {
  'the member is removed': [
    /NOT_FOUND/,
    async ({ boss, workspaceId }, someone) =>
      call(boss, members.removeMember, { params: { workspaceId, userId: await userIdOf(someone) } }),
  ],
  'the role is lowered': [
    /PERMISSION_DENIED/,
    async ({ boss, workspaceId }, someone) =>
      call(boss, members.changeRole, {
        params: { workspaceId, userId: await userIdOf(someone) },
        body: { role: 'viewer' },
      }),
  ],
  'the caller logs out': [/TOKEN_REVOKED/, (_, someone) => call(someone, auth.logout)],
  'the caller is suspended': [/PERMISSION_DENIED/, ({ platform }, someone) => suspend(platform, someone)],
  'the caller asks for the deletion of the account': [
    /PERMISSION_DENIED/,
    (_, someone) => call(someone, auth.deleteAccount, { body: { password: someone.password } }),
  ],
}

/** What waits for a site. */
const waits: Record<
  string,
  (opened: Opened, someone: Person) => [site: Opened['pasted'], asked: () => Promise<Answer<unknown>>]
> = {
  'connecting a site': ({ pasted, workspaceId }, someone) => [
    pasted,
    () => call(someone, vault.addToVault, { body: { workspaceId, url: pasted.origin, token: 'a-token' } }),
  ],
  'beginning to connect a site by OAuth': ({ granted, workspaceId }, someone) => [
    granted,
    () => call(someone, oauth.startOAuth, { body: { workspaceId, url: granted.origin } }),
  ],
  'naming a sign-in provider': ({ granted, workspaceId }, someone) => [
    granted,
    () =>
      call(someone, workspaceSignIn.setWorkspaceSignIn, {
        params: { workspaceId },
        body: { issuer: granted.origin, clientId: 'a-client', clientSecret: 'a-secret' },
      }),
  ],
}

async function refusedMeanwhile(t: ExecutionContext, what: keyof typeof waits, ending: keyof typeof endings) {
  const opened = await stage()
  const { platform, workspaceId } = opened
  const someone = await memberOf(platform, workspaceId, 'admin')
  const [site, ask] = (waits[what] as (typeof waits)[string])(opened, someone)
  const [refusal, end] = endings[ending] as Refused
  platform.services.signIn.forget()
  await noteUses(opened)
  site.isHeld = true
  const asked = ask()
  await eventually(10, 'the site is asked', () => site.waiting.length > 0 || undefined)
  await end(opened, someone)
  const before = await snapshot(platform.services.database)
  site.isHeld = false
  site.release()
  t.regex((await asked).failure.code, refusal)
  t.deepEqual(await snapshot(platform.services.database), before)
}

/** Each wait, and each ending, at least once: the handlers ask again by one function. */
const pairs: [keyof typeof waits, keyof typeof endings][] = [
  ['connecting a site', 'the member is removed'],
  ['connecting a site', 'the caller logs out'],
  ['connecting a site', 'the caller asks for the deletion of the account'],
  ['beginning to connect a site by OAuth', 'the role is lowered'],
  ['naming a sign-in provider', 'the caller is suspended'],
]
for (const [what, ending] of pairs)
  test.serial(`${what} changes nothing if, while the site is slow, ${ending}`, (t) => refusedMeanwhile(t, what, ending))

/** Comes back from a site whose token endpoint answers only once something has ended. */
async function returnsMeanwhile(
  end: (owner: Person, someone: Person, workspaceId: string) => Promise<unknown>,
  { workspaceId, entryId }: { workspaceId: string; entryId?: string },
) {
  const { platform, boss, bare } = await stage()
  const someone = await memberOf(platform, workspaceId, 'admin')
  const body = entryId ? { entryId } : { workspaceId, url: bare.origin }
  const started = await call(someone, oauth.startOAuth, { body })
  const { location, cookie } = await openConnectUrl(someone, started.body.connectUrl)
  const state = new URL(location).searchParams.get('state') ?? ''
  const answers: (() => void)[] = []
  bare.token = (request, response) => void answers.push(() => answering(tokenAnswer())(request, response))
  const query = new URLSearchParams({ code: 'a-good-code', state })
  const back = comeBack(platform, `${platform.url}/vault/oauth/callback?${query.toString()}`, cookie, {
    accept: 'application/json',
  })
  await eventually(10, 'the code is exchanged', () => answers.length > 0 || undefined)
  await end(boss, someone, workspaceId)
  for (const answer of answers) answer()
  const { status } = await back
  const kept = (await call(boss, vault.listVault, { query: { workspaceId } })).body.items
  return { status, kept: kept.filter(({ origin }) => origin === bare.origin).length, revoked: bare.revokeForms.length }
}

async function changesPassword(_: Person, { url, email, password }: Person) {
  const { body } = await call({ url }, auth.login, { body: { email, password } })
  const elsewhere = { url, token: body.accessToken }
  return call(elsewhere, auth.changePassword, { body: { currentPassword: password, newPassword: 'another one' } })
}

const returns: Record<string, Parameters<typeof returnsMeanwhile>[0]> = {
  'is removed': async (boss, someone, workspaceId) =>
    call(boss, members.removeMember, { params: { workspaceId, userId: await userIdOf(someone) } }),
  'is suspended': async (_, someone) => suspend((await stage()).platform, someone),
  'is suspended, and let in again,': async (_, someone) => {
    const { platform } = await stage()
    const params = { userId: await userIdOf(someone) }
    await suspend(platform, someone)
    return call(await adminOf(platform), liftUser, { params })
  },
  'changes the password in another login': changesPassword,
}

for (const [what, end] of Object.entries(returns))
  test.serial(`a grant is not kept, but revoked, if whoever began to connect the site ${what} meanwhile`, async (t) => {
    const { bare, workspaceId } = await stage()
    const before = bare.revokeForms.length
    const { status, kept, revoked } = await returnsMeanwhile(end, { workspaceId })
    t.true(status >= 400 && status < 500, String(status))
    t.deepEqual([kept, revoked - before], [0, 1])
  })

test.serial(
  'a grant for a connected site does not replace the present one if whoever began changes the password meanwhile',
  async (t) => {
    const { platform, boss, bare } = await stage()
    const { id: workspaceId } = await workspaceOf(boss)
    t.is((await returnsMeanwhile(async () => {}, { workspaceId })).status, 200)
    const [entry] = (await call(boss, vault.listVault, { query: { workspaceId } })).body.items
    const entryId = entry?.id ?? ''
    const stored = () =>
      platform.services.database('vault_entries').where({ id: entryId }).first('credential', 'generation')
    const [before, revokedBefore] = [await stored(), bare.revokeForms.length]
    const { status, revoked } = await returnsMeanwhile(changesPassword, {
      workspaceId,
      entryId,
    })
    t.true(status >= 400 && status < 500, String(status))
    t.deepEqual(await stored(), before)
    t.is(revoked - revokedBefore, 1)
  },
)

test.serial('who logs out while a request waits for a lock has made nothing', async (t) => {
  const { platform, boss, workspaceId } = await stage()
  const { database } = platform.services
  const someone = await memberOf(platform, workspaceId, 'member')
  const payer = await userIdOf(boss)
  const release = await hold(database, (trx) => trx('users').where({ id: payer }).forUpdate())
  const body = { workspaceId, name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' as const }
  const asked = call(someone, agents.createAgent, { body })
  await untilBlocked(database)
  await call(someone, auth.logout)
  await release()
  t.is((await asked).failure.code, 'TOKEN_REVOKED')
  t.is((await call(boss, agents.listAgents, { query: { workspaceId } })).body.items.length, 0)
})

/** Holds the lock that requests to an agent wait for; `tried` waits until so many have tried to get it. */
async function heldQueue({ id: agentId }: { id: string }) {
  const { database } = (await stage()).platform.services
  const release = await hold(database, (trx) => trx('agent_queues').where({ agentId }).forUpdate())
  let tries = 0
  database.on('query', ({ sql }: { sql: string }) => (tries += Number(sql.includes('accept_runs'))))
  const tried = (count: number) => eventually(10, `${count} are tried`, () => tries >= count || undefined)
  return { release, tried }
}

test.serial(
  'a run that waits for the queue of its agent is not accepted from whoever logs out, or is removed, meanwhile',
  async (t) => {
    const { platform, boss, workspaceId } = await stage()
    const agent = await agentOf(boss, { workspaceId })
    const someone = await memberOf(platform, workspaceId, 'member')
    const leaver = await memberOf(platform, workspaceId, 'member')
    const { release, tried } = await heldQueue(agent)
    const start = { params: { agentId: agent.id }, body: { input: 'Go.' } }
    const [theirs, others] = [call(someone, agentRuns.startRun, start), call(boss, agentRuns.startRun, start)]
    const ofLeaver = call(leaver, agentRuns.startRun, start)
    await tried(3)
    await call(someone, auth.logout)
    await call(boss, members.removeMember, { params: { workspaceId, userId: await userIdOf(leaver) } })
    await release()
    t.is((await theirs).failure.code, 'TOKEN_REVOKED')
    t.is((await ofLeaver).failure.code, 'AGENT_NOT_FOUND', 'the agent is not there any more')
    t.is((await others).status, 202)
  },
)

/** What ends the right of a sender, whose delivery is complete and waits. */
const endsOfSenders: Record<
  string,
  [refusal: RegExp, end: (opened: Opened, owner: Person, id: string) => Promise<{ status: number }>]
> = {
  'the secret is replaced': [
    /WEBHOOK_SECRET_INVALID/,
    (_, owner, agentId) => call(owner, agentSecrets.rotateSecret, { params: { agentId }, body: { overlapSeconds: 0 } }),
  ],
  'the agent wants another proof': [
    /WEBHOOK_SECRET_INVALID/,
    (_, owner, agentId) => call(owner, agents.updateAgent, { params: { agentId }, body: { webhookProof: 'github' } }),
  ],
  'webhooks do not start the agent any more': [
    /AGENT_NOT_FOUND/,
    (_, owner, agentId) => call(owner, agents.updateAgent, { params: { agentId }, body: { trigger: 'manual' } }),
  ],
  'the account is suspended': [
    /PERMISSION_DENIED/,
    async ({ platform }, owner) => {
      // A suspension also pauses the agents, and would wait for the same lock.
      const suspendedAt = platform.services.clock.now()
      await platform.services
        .database('users')
        .where({ id: await userIdOf(owner) })
        .update({ suspendedAt })
      return { status: 200 }
    },
  ],
  'the account is to be deleted': [
    /TIER_REQUIRED/,
    async ({ platform }, owner) => {
      const [ownerId, now] = [await userIdOf(owner), platform.services.clock.now()]
      await platform.services
        .database('deletions')
        .insert({ ownerId, requestedAt: now, dueAt: now, nextAt: later(now) })
      return { status: 200 }
    },
  ],
  'the time of its former secret ends': [
    /WEBHOOK_SECRET_INVALID/,
    async ({ platform }, _, id) => {
      const previousWebhookSecretUntil = platform.services.clock.now()
      await platform.services.database('agents').where({ id }).update({ previousWebhookSecretUntil })
      return { status: 200 }
    },
  ],
}

const later = (at: Date) => new Date(at.getTime() + 3_600_000)

/** The agent is its owner's own or, where the account matters, also of a workspace that the account pays for. */
const pairsOfSenders = Object.keys(endsOfSenders).flatMap((what) =>
  (what.startsWith('the account') ? ['', ' in a workspace'] : ['']).map((where) => [what, where] as const),
)

for (const [what, where] of pairsOfSenders)
  test.serial(`a delivery that waits for its turn${where} is not accepted if ${what} meanwhile`, async (t) => {
    const [refusal, end] = endsOfSenders[what] as (typeof endsOfSenders)[string]
    const opened = await stage()
    const { database } = opened.platform.services
    const owner = await customer(opened.platform, where ? 'team' : 'pro')
    const agent = await webhookAgent(owner, where ? { workspaceId: (await workspaceOf(owner)).id } : {})
    // It is the former secret that proves the delivery.
    const overlap = { params: { agentId: agent.id }, body: { overlapSeconds: 3600 } }
    t.is((await call(owner, agentSecrets.rotateSecret, overlap)).status, 200)
    const { release, tried } = await heldQueue(agent)
    const delivery = deliver(owner, agent, { number: 1 })
    await tried(1)
    t.true((await end(opened, owner, agent.id)).status < 300)
    await release()
    t.regex((await delivery).failure.code, refusal)
    t.is((await database('runs').where({ agentId: agent.id })).length, 0)
  })

test.serial('a delivery that waits is accepted if its secret is good still, as the previous one', async (t) => {
  const { platform } = await stage()
  const owner = await customer(platform)
  const agent = await webhookAgent(owner)
  const { release, tried } = await heldQueue(agent)
  const delivery = deliver(owner, agent, { number: 1 })
  await tried(1)
  const body = { overlapSeconds: 3600 }
  t.is((await call(owner, agentSecrets.rotateSecret, { params: { agentId: agent.id }, body })).status, 200)
  await release()
  t.is((await delivery).status, 202)
})
