// @promise roles
import test, { type ExecutionContext } from 'ava'
import * as apiKeys from '../../api/api-keys.ts'
import * as members from '../../api/members.ts'
import * as oauth from '../../api/oauth.ts'
import { permit } from '../../api/route/permit.ts'
import { isOfOwner, isOfUser, needsTerms } from '../../api/route/route-rules.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import { newId } from '../../src/ids.ts'
import { isCoded } from '../../src/errors.ts'
import { reachOf, reachOfKey, type ClosedBy } from '../../src/owners/reach.ts'
import type { Role } from '../../src/owners/roles.ts'
import type { Caller } from '../../src/users/caller.ts'
import { call, type Client } from '../helpers/client.ts'
import { customer, person } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { firstTime } from './first-time.ts'
import { send } from './raw-http.ts'
import { makeThings, openStage, paramsOf, validBodies, type Stage } from './stage.ts'

/*
 * What each role, and each API key, may do with the things of a workspace, on every route that can be about one. All
 * combinations are asked of the function that permits; requests show that every route asks it.
 */

type Need = 'see' | 'use' | 'build' | 'administer' | 'own'

const named = (need: Need, names: string): Record<string, Need> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, need]))

/** What each route needs. The test fails for a route that is missing here, and for a name that is no such route. */
const needs: Record<string, Need> = {
  ...named('see', 'getWorkspace listMembers getVaultEntry listTools listVault getCall listCalls listRefreshes'),
  ...named(
    'see',
    'getOAuthFlow listManifestChanges getAgent listAgents listAgentRuns previewReplay listSessions getRun getRunDelivery listRuns listAgentVersions getAgentVersion',
  ),
  ...named(
    'see',
    'getAgentStatement getRunStatement listEvents getApproval listApprovals getSchedule listFires getCallback listCallbacks whyAgent whyRun getNeeds getNotificationWebhook getOwnMetrics',
  ),
  ...named(
    'see',
    'getDocument listDocuments listNotifications removeMember listRefusedDeliveries listRunFailures listTemplates listCatalogue outlineEvents',
  ),
  ...named(
    'use',
    'callTool startRun sendTestDelivery createSession endSession cancelRun replayRun replayDeliveries skipRun decideApproval retryCallback markNotification markNotifications',
  ),
  ...named(
    'build',
    'addToVault uploadDocument deleteDocument removeFromVault replaceVaultToken startOAuth acceptManifest chooseTools confirmEffects refreshManifest moveThings',
  ),
  ...named(
    'build',
    'createAgent createAgentFromTemplate deleteAgent pauseAgent resumeAgent updateAgent rotateCallbackSecret rotateSecret restoreAgentVersion setNotificationWebhook removeNotificationWebhook',
  ),
  ...named('administer', 'createApiKey deleteApiKey listApiKeys updateWorkspace changeRole getBilling listLedger'),
  ...named('administer', 'listStatements getStatement'),
  ...named('administer', 'exportWorkspace inviteMember listInvitations withdrawInvitation listAudit'),
  ...named('administer', 'getWorkspaceSignIn setWorkspaceSignIn removeWorkspaceSignIn'),
  ...named('see', 'acceptTransfer withdrawTransfer allowApp disconnectApp'),
  ...named('own', 'deleteWorkspace offerWorkspace'),
}

/** What is left once the owner has no tier with workspaces any more: to read, to end, and to delete. */
const leftWhenClosed =
  'getBilling listLedger listStatements getStatement removeMember endSession cancelRun removeFromVault deleteDocument deleteAgent deleteApiKey deleteWorkspace offerWorkspace withdrawInvitation listAudit exportWorkspace getWorkspaceSignIn removeWorkspaceSignIn removeNotificationWebhook'.split(
    ' ',
  )

/** What a key decides only if its owner says so, because a model may hold it. */
const deciding = new Set(['decideApproval'])

const scopesOfKeys = { full: ['read', 'write', 'decide'], writing: ['read', 'write'], read: ['read'] } as const

const may: Record<Role, Need[]> = {
  owner: ['see', 'use', 'build', 'administer', 'own'],
  admin: ['see', 'use', 'build', 'administer'],
  member: ['see', 'use', 'build'],
  viewer: ['see'],
}

const owned = routes.filter(isOfOwner)

/** Somebody, or their key, who is to try everything. */
interface Who {
  role: Role
  key?: 'full' | 'writing' | 'read'
}

const everybody: Who[] = [
  ...(['owner', 'admin', 'member', 'viewer'] as const).map((role) => ({ role })),
  ...(['owner', 'admin'] as const).flatMap((role) => [
    { role, key: 'full' as const },
    { role, key: 'writing' as const },
    { role, key: 'read' as const },
  ]),
]

const inWords = ({ role, key }: Who): string => (key ? `the ${key} key of ${role}` : role)

function refusalOf({ role, key }: Who, route: AnyRoute, isClosed = false): string | undefined {
  const need = needs[route.name] as Need
  if (!may[role].includes(need)) return 'PERMISSION_DENIED'
  if (key !== undefined && route.access === 'login') return 'PERMISSION_DENIED'
  if (key === 'read' && route.method !== 'get') return 'PERMISSION_DENIED'
  if (key === 'writing' && deciding.has(route.name)) return 'PERMISSION_DENIED'
  return isClosed && need !== 'see' && !leftWhenClosed.includes(route.name) ? 'WORKSPACE_REQUIRED' : undefined
}

/** Somebody at a workspace, or one of their keys, as the routes know them. */
function callerOf({ role, key }: Who, closedBy: ClosedBy | null = null): Caller {
  const reach = reachOf('a user', [{ workspaceId: 'a workspace', role, closedBy }])
  const by = key ? { via: 'api-key', apiKeyId: 'a key' } : { via: 'login', loginId: 'a login' }
  const scopes = scopesOfKeys[key ?? 'full']
  const known = { userId: 'a user', scopes, reach: key ? reachOfKey(reach, 'a workspace') : reach, ...by }
  return known as unknown as Caller
}

function refused(caller: Caller, route: AnyRoute, resource?: object): string | undefined {
  try {
    permit(route, caller, resource)
    return undefined
  } catch (error) {
    return isCoded(error) ? error.code : String(error)
  }
}

test('every route that can be about a workspace is known here', (t) => {
  t.deepEqual(owned.map(({ name }) => name).toSorted(), Object.keys(needs).toSorted())
})

test('on every route, every role and key may do what its permissions say, also while a workspace is closed', (t) => {
  for (const route of owned)
    for (const who of everybody) {
      const within = (closedBy: ClosedBy | null) => refused(callerOf(who, closedBy), route, { ownerId: 'a workspace' })
      t.is(within(null), refusalOf(who, route), `${route.name} by ${inWords(who)}`)
      for (const cause of ['tier', 'suspension', 'deletion'] as const)
        t.is(within(cause), refusalOf(who, route, true), `${route.name} by ${inWords(who)}: ${cause}`)
    }
})

const words = (text: string) => text.split(/\s+/).toSorted()

/** Who may use the other routes: an account by login or key, unless they are named here or are for admins. */
const open = words(
  `register createFirstAdmin login refresh forgotPassword resetPassword verifyEmail previewInvitation listSignInProviders startSignIn
  goToProvider finishSignIn goToSite finishOAuth finishForeignOAuth openAppRequest listTiers healthz readyz readSigningKeys readOAuthClient readToolsiteSchema`,
)
const byProof = words(
  `receiveWebhook getDelivery withdrawDelivery receiveStripeEvent sendChatMessage listChatMessages resumeChatStream
  stopChatStream getCurrentSession endCurrentSession`,
)
const byLogin = words(
  `acceptTerms changePassword deleteAccount logout logoutEverywhere restoreAccount changeEmail sendVerification endLogin
  listLogins confirmTotp getTotp removeTotp renewRecoveryCodes startTotp createWorkspace exportAccount acceptInvitation
  linkIdentity listIdentities unlinkIdentity readCsrfToken createApiKey deleteApiKey listApiKeys allowApp disconnectApp getAppRequest listApps refuseApp deleteWorkspace
  updateWorkspace exportWorkspace changeRole removeMember inviteMember listInvitations withdrawInvitation acceptTransfer
  offerWorkspace withdrawTransfer moveThings getWorkspaceSignIn removeWorkspaceSignIn setWorkspaceSignIn`,
)
/** By login or by a key of the user, and not by one of a workspace. */
const ofUser = words(
  `addPaymentMethod cancelSubscription listPaymentMethods previewSubscription removePaymentMethod subscribe updateBilling
  setUpPaymentMethod buyCredits getTopUp listPayments setTopUp`,
)
const whileClosing = words('logout me restoreAccount readCsrfToken deleteWorkspace exportAccount exportWorkspace')

test('every route is open to those for whom it is meant', (t) => {
  const named = (isOne: (route: AnyRoute) => boolean) =>
    routes
      .filter(isOne)
      .map(({ name }) => name)
      .toSorted()
  t.deepEqual(
    named(({ access, proof }) => access === 'anyone' && !proof),
    open,
  )
  t.deepEqual(
    named(({ access, proof }) => access === 'anyone' && Boolean(proof)),
    byProof,
  )
  t.deepEqual(
    named(({ access }) => access === 'login'),
    byLogin,
  )
  t.deepEqual(
    named(({ access }) => access === 'admin'),
    named(({ path }) => path.startsWith('/admin/')),
  )
  t.deepEqual(
    named((route) => route.access === 'account' && isOfUser(route)),
    ofUser,
  )
  t.deepEqual(
    named((route) => route.whileClosing === true),
    whileClosing,
  )
  const isOfAuth = ({ path }: AnyRoute) => path.startsWith('/auth/')
  t.deepEqual(
    named((route) => !needsTerms(route) && !isOfAuth(route) && route.access !== 'anyone'),
    [],
  )
})

test('an API key that may only read changes nothing, and one of a workspace is none of its user, on every route', (t) => {
  const ofWorkspace = callerOf({ role: 'owner', key: 'full' })
  const reader: Caller = { ...ofWorkspace, scopes: ['read'], reach: reachOf('a user', []) }
  for (const route of routes.filter(({ access }) => access === 'account')) {
    t.is(refused(reader, route), route.method === 'get' ? undefined : 'PERMISSION_DENIED', route.name)
    t.is(refused(ofWorkspace, route), ofUser.includes(route.name) ? 'PERMISSION_DENIED' : undefined, route.name)
  }
})

test('nobody but an admin with a login may use what is for admins', (t) => {
  for (const route of routes.filter(({ access }) => access === 'admin')) {
    const login = { ...callerOf({ role: 'owner' }), admin: true }
    t.is(refused(login, route), undefined, route.name)
    t.is(refused({ ...login, admin: false }, route), 'ADMIN_REQUIRED', route.name)
    t.is(refused({ ...login, via: 'api-key' }, route), 'PERMISSION_DENIED', route.name)
  }
})

/** A workspace with one of everything, somebody in each role and a key of each kind, and somebody who has no part in it. */
const stage = forWholeFile(test, 'permissions', async (t) => {
  const opened = await openStage(t)
  const { platform } = opened
  const boss = await customer(platform, 'enterprise')
  const { id } = await workspaceOf(boss)
  const { params } = await makeThings(platform, boss, opened.sites, id)
  const [admin, member, viewer] = await Promise.all([
    memberOf(platform, id, 'admin'),
    memberOf(platform, id, 'member'),
    memberOf(platform, id, 'viewer'),
  ])
  const keys = {
    full: { url: platform.url, token: await keyOf(boss, 'full', id) },
    read: { url: platform.url, token: await keyOf(boss, 'read', id) },
  }
  const outsider = await customer(platform, 'team')
  return { ...opened, living: { id, params }, people: { owner: boss, admin, member, viewer }, keys, outsider }
})

async function keyOf(client: Client, key: 'full' | 'read', workspaceId?: string): Promise<string> {
  const body = { ...(workspaceId && { workspaceId }), name: key, scopes: [...scopesOfKeys[key]] }
  return (await call(client, apiKeys.createApiKey, { body })).body.key
}

/**
 * Asks for something of a workspace that changes nothing if it is permitted: an undeclared member of the query is found
 * after the permission. Of what the query or the body names, the whole request counts.
 */
async function attempt(
  t: ExecutionContext,
  { sites }: Pick<Stage, 'sites'>,
  client: Client,
  route: AnyRoute,
  workspace: { id: string; params: Record<string, string> },
) {
  const params = paramsOf(route, workspace.params)
  const body = validBodies(sites)[route.name]
  const request =
    route.owner === 'query'
      ? { query: { workspaceId: workspace.id } }
      : route.owner === 'body'
        ? { raw: JSON.stringify({ ...body, workspaceId: workspace.id }) }
        : { query: { nonsense: '1' }, ...(body && { raw: JSON.stringify(body) }) }
  const answer = await call(client, route, { params, ...request })
  t.not(answer.status, 500, route.name)
  const { code: failure = '', error = '' } = answer.status < 300 ? {} : answer.failure
  return { failure, error }
}

/**
 * What a permitted attempt comes to: it is told about the query, or it is done, or refused for what it is about, such as
 * the request of an app in another browser.
 */
const permitted = /^(VALIDATION_ERROR|TOKEN_EXISTS|NOT_FOUND|)$/

/** Routes that name whose things they are about in the same way are asked the same by the same code. */
const kindOf = (route: AnyRoute): unknown => route.resource ?? route.owner

const ascending = ['viewer', 'member', 'admin', 'owner'] as const

test.serial('every route is refused to the highest role that may not use it, and permitted to the next', async (t) => {
  const opened = await stage()
  const isNew = firstTime()
  for (const route of owned) {
    const isRefused = (role: Role) => refusalOf({ role }, route) !== undefined
    const [highest, lowest] = [ascending.findLast(isRefused), ascending.find((role) => !isRefused(role)) ?? 'owner']
    const ask = (client: Client) => attempt(t, opened, client, route, opened.living)
    if (highest) t.is((await ask(opened.people[highest])).failure, 'PERMISSION_DENIED', `${route.name} by ${highest}`)
    t.regex((await ask(opened.people[lowest])).failure, permitted, `${route.name} by ${lowest}`)
    for (const key of ['full', 'read'] as const) {
      const refusal = refusalOf({ role: 'owner', key }, route)
      if (!isNew(kindOf(route), `${key} ${route.access} ${refusal}`)) continue
      const { failure } = await ask(opened.keys[key])
      if (refusal === undefined) t.regex(failure, permitted, `${route.name} by a ${key} key`)
      else t.is(failure, refusal, `${route.name} by a ${key} key`)
    }
  }
})

test.serial(
  'in a workspace whose owner has no tier for it, one can read, end and delete, and nothing else',
  async (t) => {
    const opened = await stage()
    const lapsed = await opened.lapsed()
    const workspace = { id: lapsed.params['workspaceId'] ?? '', params: lapsed.params }
    const isNew = firstTime()
    for (const route of owned) {
      const refusal = refusalOf({ role: 'owner' }, route, true)
      if (!leftWhenClosed.includes(route.name) && !isNew(kindOf(route), String(refusal))) continue
      const { failure } = await attempt(t, opened, lapsed.payer, route, workspace)
      if (refusal === undefined) t.regex(failure, permitted, route.name)
      else t.is(failure, refusal, route.name)
    }
  },
)

// Of what the path names, the tests of authorization try every route.
test.serial(
  'to whoever is no member, a workspace and what it has are not there, whatever they may do elsewhere',
  async (t) => {
    const opened = await stage()
    const { outsider, living } = opened
    const isNew = firstTime()
    const tries = async (client: Client, route: AnyRoute, by: string) => {
      const foreign = await attempt(t, opened, client, route, living)
      t.regex(
        foreign.failure,
        by === 'login' ? /NOT_FOUND$/ : /NOT_FOUND$|^PERMISSION_DENIED$/,
        `${route.name} by ${by}`,
      )
      t.deepEqual(foreign, await attempt(t, opened, client, route, nowhere(opened)), `${route.name} by ${by}`)
    }
    const full = { url: outsider.url, token: await keyOf(outsider, 'full') }
    const read = { url: outsider.url, token: await keyOf(outsider, 'read') }
    for (const route of owned) {
      const isFirst = isNew(kindOf(route), `${route.access} ${route.method === 'get'}`)
      if (isFirst || route.owner || route.path.includes('{workspaceId}')) await tries(outsider, route, 'login')
      if (!isFirst) continue
      await tries(full, route, 'full key')
      await tries(read, route, 'key to read')
    }
  },
)

/** A workspace with things that there are not. */
function nowhere({ living }: { living: { params: Record<string, string> } }) {
  const isOurs = (name: string) => name !== 'toolName' && name !== 'host'
  const params = Object.entries(living.params).map(([name, id]) => [name, isOurs(name) ? newId() : id])
  return { id: newId(), params: Object.fromEntries(params) as Record<string, string> }
}

test.serial('no spelling of an address of admins gets around the permission', async (t) => {
  const { platform, params } = await stage()
  const { token } = await person(platform)
  const user = `/users/${params['userId']}`
  for (const start of [
    '//admin',
    '/ADMIN',
    '/%61dmin',
    '/admin/',
    '/./admin',
    '/x/../admin',
    '/admin;x',
    '/%2fadmin',
    '/admin%2f',
  ])
    for (const path of [start + user, `${start}${user}/`]) {
      const by = async (headers: Record<string, string>) => (await send(platform.url, { path, headers })).code ?? 'done'
      t.regex(await by({ authorization: `Bearer ${token}` }), /^(ADMIN_REQUIRED|NOT_FOUND|VALIDATION_ERROR)$/, path)
      t.regex(await by({}), /^(UNAUTHORIZED|NOT_FOUND|VALIDATION_ERROR)$/, path)
    }
})

test.serial('nobody but admins removes others, and everybody but the owner may leave', async (t) => {
  const { living, people, platform } = await stage()
  const remove = async (by: Client, userId: string) => {
    const answer = await call(by, members.removeMember, { params: { workspaceId: living.id, userId } })
    return answer.status === 204 ? '' : answer.failure.code
  }
  const viewer = await memberOf(platform, living.id, 'viewer')
  t.is(await remove(people.member, await userIdOf(viewer)), 'PERMISSION_DENIED')
  t.is(await remove(people.admin, newId()), 'MEMBER_NOT_FOUND')
  for (const by of [people.admin, people.owner])
    t.is(await remove(by, await userIdOf(people.owner)), 'ROLE_CHANGE_FORBIDDEN')
  t.is(await remove(viewer, await userIdOf(viewer)), '')
  t.is(await remove(viewer, await userIdOf(viewer)), 'WORKSPACE_NOT_FOUND')
})

test.serial(
  'an entry of a workspace is reconnected by those who may build there, and is not there for others',
  async (t) => {
    const { living, people, outsider } = await stage()
    const body = { entryId: living.params['entryId'] ?? '' }
    const again = async (client: Client) => (await call(client, oauth.startOAuth, { body })).failure.code
    // The entry has a bearer token, which the platform finds out after the permission.
    t.is(await again(people.member), 'VALIDATION_ERROR')
    t.is(await again(people.viewer), 'PERMISSION_DENIED')
    t.is(await again(outsider), 'NOT_FOUND')
  },
)
