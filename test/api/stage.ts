import type { ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as documents from '../../api/documents.ts'
import * as logins from '../../api/logins.ts'
import * as vault from '../../api/vault.ts'
import * as oauth from '../../api/oauth.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { monthOf } from '../../src/billing/ledger/forecast.ts'
import { newId } from '../../src/ids.ts'
import { notificationOf } from '../helpers/notifications.ts'
import { Identity } from '../../src/sign-in/identity.ts'
import { adminOf } from '../helpers/admins.ts'
import { documentOf } from '../helpers/api-server.ts'
import { startBareIdentityProvider, type BareIdentityProvider } from '../helpers/bare-identity-provider.ts'
import { startBareOAuthSite, type BareOAuthSite } from '../helpers/bare-oauth-site.ts'
import { pendingApproval } from '../helpers/approvals.ts'
import { connectedApp } from '../helpers/app-sign-in.ts'
import { catalogueOf } from '../helpers/catalogue.ts'
import { call, type Client } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, deliver, newcomer, person, webhookAgent, type Person } from '../helpers/people.ts'
import { environmentOf } from '../helpers/sign-ins.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { startSites, type Sites } from '../helpers/sites.ts'
import { inviteTo, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/** Everything that requests to all routes need: a platform, its admin, an owner, and one thing of each kind of hers. */
export async function openStage(t: ExecutionContext) {
  const [oauthSite, idp] = [await startBareOAuthSite(t), await startBareIdentityProvider(t)]
  const sites = { ...(await startSites(t)), oauth: oauthSite, idp }
  const env = { ...environmentOf(idp), ...catalogueOf(t, sites, 'any-token') }
  const platform = await startPlatform(t, { env })
  const admin = await adminOf(platform, 'admin@example.com')
  const owner = await customer(platform, 'team')
  const things = await makeThings(platform, owner, sites)
  const workspaces = {
    viewerIn: once(() => viewerIn(platform, things.params)),
    lapsed: once(() => lapse(platform, sites)),
    suspended: once(() => suspendedIn(platform)),
  }
  const callers = callersOf(platform, owner)
  return { platform, sites, admin, owner, ...things, ...workspaces, ...callers }
}

/** A viewer of the owner's workspace, and a key that belongs to it. */
async function viewerIn(platform: Platform, { workspaceId = '' }: Record<string, string>) {
  return memberOf(platform, workspaceId, 'viewer')
}

/** Somebody whom an admin keeps out, with an agent and a session from before. */
async function suspendedIn(platform: Platform) {
  const someone = await customer(platform)
  const [agent, session] = [await webhookAgent(someone), await sessionOf(someone)]
  await platform.services.adminAccounts.suspend(await userIdOf(someone), 'For trying it')
  return { someone, agent, session }
}

/** A workspace with one of everything, whose owner has no tier for it any more. */
async function lapse(platform: Platform, sites: StageSites) {
  const payer = await customer(platform, 'enterprise')
  const { id } = await workspaceOf(payer)
  const things = await makeThings(platform, payer, sites, id)
  const { database } = platform.services
  await database('accounts')
    .where({ ownerId: await userIdOf(payer) })
    .update({ tier: 'free', currentPeriodEnd: null })
  return { payer, ...things }
}

export type Stage = Awaited<ReturnType<typeof openStage>>

/** The sites of every stage: those of all tests, one that uses OAuth, and a sign-in provider. */
type StageSites = Sites & { oauth: BareOAuthSite; idp: BareIdentityProvider }

/** One of everything that a path can name. */
export async function makeThings(platform: Platform, owner: Person, sites: StageSites, workspaceId?: string) {
  const within = workspaceId === undefined ? {} : { workspaceId }
  const own = workspaceId ?? (await workspaceOf(owner)).id
  const agent = await webhookAgent(owner, within)
  const { body: delivered } = await deliver(owner, agent, { title: 'It is broken' })
  const { body: key } = await call(owner, apiKeys.createApiKey, {
    body: { ...within, name: 'full', scopes: ['read', 'write'] },
  })
  const { body: readKey } = await call(owner, apiKeys.createApiKey, {
    body: { ...within, name: 'reader', scopes: ['read'] },
  })
  const { body: flow } = await call(owner, oauth.startOAuth, { body: { ...within, url: sites.oauth.origin } })
  const { body: document } = await call(owner, documents.uploadDocument, {
    body: { ...within, name: 'Pets', text: documentOf('https://api.example.com') },
  })
  const { body: cards } = await call(owner, billing.listPaymentMethods)
  const entryId = await connectBadTools(owner, sites, within)
  const used = { params: { entryId, toolName: 'echo_text' }, body: { text: 'hello' } }
  const { body: called } = await call(owner, vault.callTool, used)
  const of = { runId: delivered.runId, agentId: agent.id }
  const approval = await pendingApproval(platform, { ownerId: agent.ownerId, ...of })
  const session = await sessionOf(owner, within)
  const [login] = (await call(owner, logins.listLogins)).body.items
  const params: Record<string, string> = {
    loginId: login?.id ?? '',
    agentId: agent.id,
    approvalId: approval.id,
    runId: delivered.runId,
    entryId,
    callId: called.callId,
    toolName: 'echo_text',
    flowId: flow.id,
    documentId: document.id,
    issuerKey: 'a'.repeat(22),
    apiKeyId: key.id,
    paymentMethodId: cards.items[0]?.id ?? '',
    sessionId: session.id,
    chatId: newId(),
    host: 'tools.example.com',
    workspaceId: own,
    userId: (await call(owner, auth.me)).body.id,
    notificationId: (await notificationOf(platform, agent.ownerId)).id,
    invitationId: (await inviteTo(platform, owner, own)).body.id,
    identityId: await identityOf(platform, owner),
    providerId: 'oidc',
    appId: (await connectedApp(platform, await userIdOf(owner), own)).id,
    requestId: 'aRequestOfAnotherBrowser',
    templateId: 'triage',
    version: '1',
    month: monthOf(new Date()),
  }
  return { agent, session, params, apiKey: key.key, readKey: readKey.key }
}

/** Links a provider to somebody's account at once. */
async function identityOf({ services }: Platform, owner: Person): Promise<string> {
  const userId = await userIdOf(owner)
  const of = { provider: 'oidc', workspaceProviderId: null, issuer: 'https://idp.example.com', subject: newId() }
  const row = await Identity.query(services.database).insert({ id: newId(), userId, ...of, linkedAt: new Date() })
  return row.id
}

/** Tokens of callers in every bad state. */
const callersOf = ({ url }: Platform, owner: Person) => {
  const as = (token?: string): Client => ({ url, token })
  return {
    as,
    nobody: as(),
    forger: as('not.a.token'),
    newcomer: () => newcomer({ url }),
    expired: once(async () => as(await expiredToken(owner))),
    revoked: once(async () => as(await revokedToken(owner))),
    leaving: once(() => leaving({ url })),
  }
}

/** Logs in for the shortest time there is, and waits until it is over. */
async function expiredToken({ url, email, password }: Person): Promise<string> {
  const { body } = await call({ url }, auth.login, { body: { email, password, ttlSeconds: 1 } })
  return eventually(10, 'the token expires', async () => {
    const { status } = await call({ url, token: body.accessToken }, auth.me)
    return status === 401 ? body.accessToken : undefined
  })
}

/** Somebody whose account is to be deleted. */
async function leaving(client: Client): Promise<Person> {
  const someone = await person(client)
  await call(someone, auth.deleteAccount, { body: { password: someone.password } })
  return someone
}

async function revokedToken({ url, email, password }: Person): Promise<string> {
  const { body } = await call({ url }, auth.login, { body: { email, password } })
  await call({ url, token: body.accessToken }, auth.logout)
  return body.accessToken
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Somebody to whom a route is open. */
export const allowedTo = ({ admin, owner }: Pick<Stage, 'admin' | 'owner'>, { access }: AnyRoute): Person =>
  access === 'admin' ? admin : owner

/** The parameters of a route's path, as far as the stage knows such things; throws for one it has not been taught. */
export function paramsOf({ path }: AnyRoute, things: Record<string, string>): Record<string, string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  return Object.fromEntries(names.map((name) => [name, things[name] ?? unknown(name)]))
}

function unknown(name: string): never {
  throw new Error(`The stage has no {${name}}: make one in makeThings.`)
}

/** A body for each route that takes one, which only its owner's state could refuse. */
export const validBodies = (sites: StageSites): Record<string, Record<string, unknown>> => ({
  register: { email: `${newId()}@example.com`, password: 'a good password' },
  login: { email: 'nobody@example.com', password: 'a good password' },
  refresh: { refreshToken: `sy_refresh_${'a'.repeat(43)}` },
  changePassword: { currentPassword: 'a good password', newPassword: 'a better password' },
  startTotp: { currentPassword: 'a good password' },
  confirmTotp: { code: '123456' },
  renewRecoveryCodes: { currentPassword: 'a good password', code: '123456' },
  removeTotp: { currentPassword: 'a good password', code: '123456' },
  deleteAccount: { password: 'a good password' },
  verifyEmail: { token: `sy_verify_${'a'.repeat(43)}` },
  forgotPassword: { email: 'nobody@example.com' },
  createFirstAdmin: { token: `sy_admin_${'a'.repeat(43)}`, email: 'ada@example.com', password: 'a good password' },
  resetPassword: { token: `sy_reset_${'a'.repeat(43)}`, newPassword: 'a better password' },
  changeEmail: { newEmail: 'new@example.com', currentPassword: 'a good password' },
  createApiKey: { name: 'A key', scopes: ['read'] },
  addPaymentMethod: { paymentMethod: 'pm_card_visa' },
  buyCredits: { credits: 100 },
  setTopUp: { enabled: false, below: 100, credits: 100, centsPerMonth: 1000 },
  advanceClock: { seconds: 1 },
  subscribe: { tier: 'pro' },
  updateBilling: { creditsPerMonth: 1_000_000 },
  giveCredits: { credits: 5, note: 'For trying it' },
  inspectSite: { url: sites.tracker.origin },
  addToVault: { url: sites.tracker.origin, token: 'any-token' },
  startOAuth: { url: sites.oauth.origin },
  replaceVaultToken: { token: 'another-token' },
  acceptManifest: { fingerprint: '0'.repeat(64) },
  confirmEffects: { tools: [] },
  uploadDocument: { name: 'Pets', text: documentOf('https://api.example.com') },
  chooseTools: { tools: ['search_issues'] },
  callTool: { text: 'hello' },
  createAgent: { name: 'An agent', systemPrompt: 'Report.', trigger: 'manual' },
  sendTestDelivery: { payload: {} },
  createAgentFromTemplate: {},
  updateAgent: { name: 'Another name' },
  replayDeliveries: { from: 1 },
  replayRun: { payload: { title: 'It is fixed' } },
  cancelRuns: { runIds: [newId()] },
  skipRuns: { runIds: [newId()] },
  startRun: { input: { title: 'It is broken' } },
  createSession: {},
  createWorkspace: { name: 'Support' },
  updateWorkspace: { name: 'Sales' },
  changeRole: { role: 'viewer' },
  offerWorkspace: { userId: newId(), password: 'a good password' },
  markNotification: { read: true },
  setNotificationWebhook: { url: 'https://hooks.example.com/told' },
  markNotifications: { upTo: newId() },
  moveThings: { agentIds: [], entryIds: [] },
  linkIdentity: { provider: 'nothing' },
  setWorkspaceSignIn: { issuer: sites.idp.origin, clientId: 'switchyard', clientSecret: 'a-secret' },
  inviteMember: { email: `${newId()}@example.com`, role: 'viewer' },
  previewInvitation: { token: `sy_join_${'a'.repeat(43)}` },
  acceptInvitation: { token: `sy_join_${'a'.repeat(43)}` },
  sendChatMessage: { text: '[[say Hello.]]' },
  allowApp: { scopes: ['read'] },
  rotateSecret: { secret: 'a-secret-that-is-long-enough', overlapSeconds: 60 },
  suspendHost: { reason: 'It is being attacked' },
  limitHost: { callsPerMinute: 60 },
  suspendUser: { reason: 'For trying it' },
  giveTier: { tier: 'pro' },
  decideApproval: { decision: 'approve' },
  receiveWebhook: { title: 'It is broken' },
})

/** The body for a route that names whose things it is about, in a workspace. */
export function bodyWithin(sites: StageSites, { name, owner }: AnyRoute, workspaceId: string) {
  const valid = validBodies(sites)[name]
  return valid && { ...valid, ...(owner === 'body' && { workspaceId }) }
}

/** A query for each route that needs one, which the platform has to look up. */
export const validQueries: Record<string, Record<string, string>> = {
  previewSubscription: { tier: 'free' },
  goToSite: { ticket: `sy_ticket_${'a'.repeat(43)}` },
  finishOAuth: { state: `sy_state_${'a'.repeat(43)}`, code: 'a-code' },
  finishForeignOAuth: { state: `sy_state_${'a'.repeat(43)}`, code: 'a-code' },
  goToProvider: { ticket: `sy_ticket_${'a'.repeat(43)}` },
  finishSignIn: { state: `sy_state_${'a'.repeat(43)}`, code: 'a-code' },
}

/** What the request of a webhook, or in a session, needs beside its path; other routes ignore it. */
export const secretOf = ({ agent, session }: Pick<Stage, 'agent' | 'session'>) => ({
  'x-webhook-secret': agent.webhookSecret,
  ...withToken(session),
})

/** The first use of a login, a key or a session in a minute is noted in its row; from now on, no use is for an hour. */
export async function noteUses({ platform }: Pick<Stage, 'platform'>): Promise<void> {
  const { database } = platform.services
  const soon = new Date(Date.now() + 3_600_000)
  await database('api_keys').update({ last_used_at: soon })
  await database('logins').update({ last_used_at: soon })
  await database('sessions').update({ used_at: soon })
}
