// @promise roles
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as members from '../../api/members.ts'
import * as oauth from '../../api/oauth.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { isOfOwner } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import { newId } from '../../src/ids.ts'
import { call, type Client } from '../helpers/client.ts'
import { customer, type Person } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { makeThings, openStage, paramsOf, validBodies, type Stage } from './stage.ts'

/* What each role, and each API key, may do with the things of a workspace, on every route that can be about one. */

type Need = 'see' | 'use' | 'build' | 'administer' | 'own'

const named = (need: Need, names: string): Record<string, Need> =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, need]))

/** What each route needs. The test fails for a route that is missing here, and for a name that is no such route. */
const needs: Record<string, Need> = {
  ...named('see', 'getWorkspace listMembers getVaultEntry listTools listVault getCall listCalls listRefreshes'),
  ...named(
    'see',
    'getOAuthFlow listManifestChanges getAgent listAgents listAgentRuns previewReplay listSessions getRun listRuns',
  ),
  ...named(
    'see',
    'getAgentStatement getRunStatement listEvents getApproval listApprovals getSchedule listFires getCallback listCallbacks whyAgent whyRun',
  ),
  ...named('see', 'listNotifications removeMember'),
  ...named(
    'use',
    'callTool startRun createSession endSession cancelRun replayRun replayDeliveries skipRun decideApproval retryCallback markNotification markNotifications',
  ),
  ...named(
    'build',
    'addToVault removeFromVault replaceVaultToken startOAuth acceptManifest refreshManifest moveThings',
  ),
  ...named('build', 'createAgent deleteAgent pauseAgent resumeAgent updateAgent rotateCallbackSecret rotateSecret'),
  ...named('administer', 'createApiKey deleteApiKey listApiKeys updateWorkspace changeRole getBilling listLedger'),
  ...named('administer', 'listStatements getStatement'),
  ...named('administer', 'exportWorkspace inviteMember listInvitations withdrawInvitation listAudit'),
  ...named('administer', 'getWorkspaceSignIn setWorkspaceSignIn removeWorkspaceSignIn'),
  ...named('see', 'acceptTransfer withdrawTransfer'),
  ...named('own', 'deleteWorkspace offerWorkspace'),
}

/** What is left once the owner has no tier with workspaces any more: to read, to end, and to delete. */
const leftWhenClosed =
  'getBilling listLedger listStatements getStatement removeMember endSession cancelRun removeFromVault deleteAgent deleteApiKey deleteWorkspace offerWorkspace withdrawInvitation listAudit exportWorkspace getWorkspaceSignIn removeWorkspaceSignIn'.split(
    ' ',
  )

const may: Record<string, Need[]> = {
  owner: ['see', 'use', 'build', 'administer', 'own'],
  admin: ['see', 'use', 'build', 'administer'],
  member: ['see', 'use', 'build'],
  viewer: ['see'],
}

const owned = routes.filter(isOfOwner)

/** Somebody, or their key, who is to try everything. */
interface Caller {
  name: string
  client: Client
  role: string
  key?: 'full' | 'read'
}

const keyOf = async (client: Client, workspaceId: string, key: 'full' | 'read') => {
  const scopes = key === 'full' ? (['read', 'write'] as const) : (['read'] as const)
  const body = { workspaceId, name: key, scopes: [...scopes] }
  return (await call(client, apiKeys.createApiKey, { body })).body.key
}

async function callersOf({ platform }: Stage, boss: Client, workspaceId: string): Promise<Caller[]> {
  const admin = await memberOf(platform, workspaceId, 'admin')
  const others = ['member', 'viewer'] as const
  const people = [
    { name: 'owner', role: 'owner', client: boss },
    { name: 'admin', role: 'admin', client: admin },
    ...(await Promise.all(
      others.map(async (role) => ({ name: role, role, client: await memberOf(platform, workspaceId, role) })),
    )),
  ]
  const keys = await Promise.all(
    (['full', 'read'] as const).flatMap((key) =>
      people.slice(0, 2).map(async ({ name, role, client }) => ({
        name: `${key} key of ${name}`,
        role,
        key,
        client: { url: client.url, token: await keyOf(client, workspaceId, key) },
      })),
    ),
  )
  return [...people, ...keys]
}

const stage = forWholeFile(test, 'permissions', async (t) => {
  const opened = await openStage(t)
  const boss = await customer(opened.platform, 'enterprise')
  const living = await openWorkspace(opened, boss)
  const payer = await customer(opened.platform, 'enterprise')
  const lapsed = await openWorkspace(opened, payer)
  const free = { tier: 'free', currentPeriodEnd: null }
  await opened.platform.services
    .database('accounts')
    .where({ ownerId: await userIdOf(payer) })
    .update(free)
  const outsider = await customer(opened.platform, 'team')
  const theirs = await makeThings(opened.platform, outsider, opened.sites, (await workspaceOf(outsider)).id)
  return { ...opened, living, lapsed, outsider, theirs }
})

async function openWorkspace(stage: Stage, boss: Person) {
  const { id } = await workspaceOf(boss)
  const things = await makeThings(stage.platform, boss, stage.sites, id)
  return { id, params: things.params, callers: await callersOf(stage, boss, id) }
}

/**
 * Asks for something of a workspace that changes nothing if it is permitted: an undeclared member of the query is found
 * after the permission. Of what the query or the body names, the whole request counts.
 */
function attempt(
  stage: Pick<Stage, 'sites'>,
  { client }: Caller,
  route: AnyRoute,
  workspace: { id: string; params: object },
) {
  const params = paramsOf(route, workspace.params as Record<string, string>)
  const body = validBodies(stage.sites)[route.name]
  if (route.owner === 'query') return call(client, route, { params, query: { workspaceId: workspace.id } })
  if (route.owner === 'body') {
    return call(client, route, { params, raw: JSON.stringify({ ...body, workspaceId: workspace.id }) })
  }
  return call(client, route, { params, query: { nonsense: '1' }, ...(body && { raw: JSON.stringify(body) }) })
}

/** What a permitted attempt comes to: it is told about the query, or it is done, or refused for what it is about. */
const permitted = /^(VALIDATION_ERROR|TOKEN_EXISTS|)$/

function refusalOf({ role, key }: Caller, route: AnyRoute): string | undefined {
  const need = needs[route.name] as Need
  if (!may[role]?.includes(need)) return 'PERMISSION_DENIED'
  if (key !== undefined && route.access === 'login') return 'PERMISSION_DENIED'
  return key === 'read' && route.method !== 'get' ? 'PERMISSION_DENIED' : undefined
}

test('every route that can be about a workspace is known here', (t) => {
  t.deepEqual(owned.map(({ name }) => name).toSorted(), Object.keys(needs).toSorted())
})

test.serial('on every route, every role and key may do what its permissions say', async (t) => {
  const opened = await stage()
  let count = 0
  for (const caller of opened.living.callers)
    for (const route of owned) {
      const { failure } = await tried(t, attempt(opened, caller, route, opened.living))
      const refusal = refusalOf(caller, route)
      if (refusal === undefined) t.regex(failure, permitted, `${route.name} by ${caller.name}`)
      else t.is(failure, refusal, `${route.name} by ${caller.name}`)
      count += 1
    }
  t.log(`${count} combinations of ${owned.length} routes and ${opened.living.callers.length} callers`)
})

test.serial(
  'in a workspace whose owner has no tier for it, one can read, end and delete, and nothing else',
  async (t) => {
    const opened = await stage()
    // What a role may is above; what is closed is so for each of them.
    for (const caller of opened.lapsed.callers.filter(({ name }) => /^(owner|member|full key of admin)$/.test(name)))
      for (const route of owned) {
        const { failure } = await tried(t, attempt(opened, caller, route, opened.lapsed))
        const isLeft = needs[route.name] === 'see' || leftWhenClosed.includes(route.name)
        const refusal = refusalOf(caller, route) ?? (isLeft ? undefined : 'WORKSPACE_REQUIRED')
        if (refusal === undefined) t.regex(failure, permitted, `${route.name} by ${caller.name}`)
        else t.is(failure, refusal, `${route.name} by ${caller.name}`)
      }
  },
)

test.serial(
  'to whoever is no member, a workspace and what it has are not there, whatever they may do in their own',
  async (t) => {
    const opened = await stage()
    const { outsider, theirs } = opened
    const clients: [string, Client][] = [
      ['login', outsider],
      ['full key', { url: outsider.url, token: theirs.apiKey }],
      ['key to read', { url: outsider.url, token: theirs.readKey }],
    ]
    for (const [name, client] of clients)
      for (const route of owned) {
        const caller = { name, client, role: 'owner' }
        const foreign = await tried(t, attempt(opened, caller, route, opened.living))
        const unknown = await tried(t, attempt(opened, caller, route, nowhere(opened)))
        t.regex(foreign.failure, /NOT_FOUND$|^PERMISSION_DENIED$/, `${route.name} by ${name}`)
        t.deepEqual(foreign, unknown, `${route.name} by ${name}`)
        if (name === 'login') t.regex(foreign.failure, /NOT_FOUND$/, route.name)
      }
  },
)

/** A workspace with things that there are not. */
function nowhere({ living }: { living: { params: Record<string, string> } }) {
  const isOurs = (name: string) => name !== 'toolName' && name !== 'host'
  const params = Object.entries(living.params).map(([name, id]) => [name, isOurs(name) ? newId() : id])
  return { id: newId(), params: Object.fromEntries(params) as Record<string, string> }
}

async function tried(t: ExecutionContext, asked: ReturnType<typeof call>) {
  const answer = await asked
  t.not(answer.status, 500)
  const { code: failure = '', error = '' } = answer.status < 300 ? {} : answer.failure
  return { failure, error }
}

test.serial(
  'secrets that can start runs are shown to those who may build, and to no viewer and no key to read',
  async (t) => {
    const { living } = await stage()
    const params = { agentId: living.params['agentId'] ?? '' }
    for (const { client, role, key, name } of living.callers) {
      const { webhookSecret } = (await call(client, agents.getAgent, { params })).body
      t.is(webhookSecret !== null, role !== 'viewer' && key !== 'read', name)
    }
  },
)

test.serial('nobody but admins removes others, and everybody but the owner may leave', async (t) => {
  const { living, platform } = await stage()
  const [owner, admin, member] = living.callers
  const remove = async (by: Caller | undefined, userId: string) => {
    const params = { workspaceId: living.id, userId }
    const answer = await call(by?.client ?? { url: '' }, members.removeMember, { params })
    return answer.status === 204 ? '' : answer.failure.code
  }
  const viewer = await memberOf(platform, living.id, 'viewer')
  t.is(await remove(member, await userIdOf(viewer)), 'PERMISSION_DENIED')
  t.is(await remove(admin, newId()), 'MEMBER_NOT_FOUND')
  t.is(await remove(admin, await userIdOf(owner?.client as Client)), 'ROLE_CHANGE_FORBIDDEN')
  t.is(await remove(owner, await userIdOf(owner?.client as Client)), 'ROLE_CHANGE_FORBIDDEN')
  t.is(await remove({ name: 'viewer', role: 'viewer', client: viewer }, await userIdOf(viewer)), '')
  t.is(await remove({ name: 'viewer', role: 'viewer', client: viewer }, await userIdOf(viewer)), 'WORKSPACE_NOT_FOUND')
})

test.serial(
  'an entry of a workspace is reconnected by those who may build there, and is not there for others',
  async (t) => {
    const { living, outsider } = await stage()
    const entryId = living.params['entryId'] ?? ''
    const again = async (client: Client | undefined) =>
      (await call(client as Client, oauth.startOAuth, { body: { entryId } })).failure.code
    // The entry has a bearer token, which the platform finds out after the permission.
    t.is(await again(living.callers[2]?.client), 'VALIDATION_ERROR')
    t.is(await again(living.callers[3]?.client), 'PERMISSION_DENIED')
    t.is(await again(outsider), 'NOT_FOUND')
  },
)
