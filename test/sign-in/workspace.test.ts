// @promise sign-in
import test, { type ExecutionContext } from 'ava'
import * as apiKeys from '../../api/api-keys.ts'
import * as audit from '../../api/audit.ts'
import * as auth from '../../api/auth.ts'
import * as logins from '../../api/logins.ts'
import * as members from '../../api/members.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { isOfOwner, needsLogin } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import * as sessions from '../../api/sessions.ts'
import * as signIn from '../../api/sign-in.ts'
import * as workspaceSignIn from '../../api/workspace-sign-in.ts'
import * as workspaces from '../../api/workspaces.ts'
import { makeThings, openStage, paramsOf, validBodies, validQueries } from '../api/stage.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { sentBack, type BareIdentityProvider } from '../helpers/bare-identity-provider.ts'
import { call, type Client } from '../helpers/client.ts'
import { customer, person, type Person } from '../helpers/people.ts'
import { beginSignIn, clientOf, nameProvider, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, verified, workspaceOf } from '../helpers/workspaces.ts'

/** A platform, and the provider of a workspace, which says whatever its admin likes. */
const open = forWholeFile(test, 'sign-in of workspaces', async (t) => {
  const stage = await openStage(t)
  // The safe fetch allows hosts, not paths, so one host can be several providers.
  return { ...stage, idp: stage.sites.idp }
})

/** A workspace with a provider, its owner, and a verified member. */
async function openWorkspace() {
  const opened = await open()
  const boss = await customer(opened.platform, 'team')
  const { id } = await workspaceOf(boss)
  const set = await nameProvider(boss, id, opened.idp.origin)
  if (set.status !== 200) throw new Error(set.failure.error)
  const someone = await verified(opened.platform)
  await join(opened.platform, id, someone, 'member')
  return { ...opened, boss, id, someone }
}

/** Comes back from the provider as somebody; the answer of the platform. */
async function enter(workspaceId: string, idp: BareIdentityProvider, user: string) {
  const { platform } = await open()
  const by = visitor()
  const back = sentBack(idp, await beginSignIn(platform, by, workspaceId), user)
  return { by, ...(await visit(platform, by, back.href)) }
}

async function link(someone: Person, workspaceId: string, idp: BareIdentityProvider, user: string) {
  const by = visitor()
  const { linkUrl } = (
    await call(someone, signIn.linkIdentity, { body: { provider: workspaceId, currentPassword: someone.password } })
  ).body
  const { location } = await visit(someone, by, linkUrl)
  return visit(someone, by, sentBack(idp, location, user).href)
}

const codeOf = (answer: { status: number; failure: { code: string } }): string =>
  answer.status < 300 ? '' : answer.failure.code

test('a member who has linked the provider of a workspace signs in to it, and to nothing else', async (t) => {
  const { platform, id, someone, idp } = await openWorkspace()
  t.is((await enter(id, idp, 'ada')).status, 403, 'not linked yet')
  t.is((await link(someone, id, idp, 'ada')).status, 200)
  const { by, status } = await enter(id, idp, 'ada')
  t.is(status, 200)
  const within = clientOf(platform, by)
  t.is(await userIdOf(within), await userIdOf(someone))
  t.deepEqual(
    (await call(within, workspaces.listWorkspaces)).body.items.map((one) => one.id),
    [id],
  )
  const listed = (await call(someone, logins.listLogins)).body.items
  t.deepEqual(listed.map((one) => one.workspaceId).filter(Boolean), [id])
  t.like((await call(someone, signIn.listIdentities)).body.items, [
    { provider: id, workspaceId: id, issuer: idp.origin },
  ])
})

test.serial('the address of another user, asserted by the provider of a workspace, gains nothing', async (t) => {
  const { platform, id, someone, boss, idp, admin } = await openWorkspace()
  for (const victim of [someone, boss, admin]) {
    idp.deviation = { claims: { email: victim.email, email_verified: true } }
    const { status, by } = await enter(id, idp, `attacker-${victim.email.split('@')[0]}`)
    t.is(status, 403)
    t.false(by.cookies.has('switchyard_access'))
  }
  idp.deviation = {}
  const { rows } = await platform.services.database.raw<{ rows: unknown[] }>(
    `select from identities where subject like 'attacker-%'`,
  )
  t.deepEqual(rows, [])
})

test('the same issuer and subject, asserted by the provider of another workspace, is somebody else', async (t) => {
  const { platform, id, someone, idp } = await openWorkspace()
  t.is((await link(someone, id, idp, 'grace')).status, 200)
  const second = await openWorkspace()
  t.is((await enter(second.id, idp, 'grace')).status, 403)
  await join(platform, second.id, someone, 'member')
  t.is((await enter(second.id, idp, 'grace')).status, 403, 'a member there, who has not linked it')
  t.is((await link(second.someone, second.id, idp, 'grace')).status, 200)
  const them = clientOf(platform, (await enter(second.id, idp, 'grace')).by)
  t.is(await userIdOf(them), await userIdOf(second.someone))
  t.is(codeOf(await call(them, workspaces.getWorkspace, { params: { workspaceId: id } })), 'WORKSPACE_NOT_FOUND')
})

test('only a member can link the provider of a workspace, and to others it is not there', async (t) => {
  const { platform, id } = await openWorkspace()
  const stranger = await verified(platform)
  const answer = await call(stranger, signIn.linkIdentity, {
    body: { provider: id, currentPassword: stranger.password },
  })
  const nowhere = await call(stranger, signIn.linkIdentity, {
    body: { provider: (await workspaceOf(await customer(platform, 'team'))).id },
  })
  t.deepEqual(answer.failure, nowhere.failure)
  t.is(answer.failure.code, 'NOT_FOUND')
})

test('whoever leaves, or is removed, is signed out of the workspace, and not linked if they come back', async (t) => {
  const { platform, id, someone, boss, idp } = await openWorkspace()
  await link(someone, id, idp, 'leaver')
  const within = clientOf(platform, (await enter(id, idp, 'leaver')).by)
  const params = { workspaceId: id, userId: await userIdOf(someone) }
  t.is((await call(boss, members.removeMember, { params })).status, 204)
  t.is(codeOf(await call(within, auth.me)), 'TOKEN_REVOKED')
  t.is((await enter(id, idp, 'leaver')).status, 403)
  await join(platform, id, someone, 'member')
  t.is(codeOf(await call(within, auth.me)), 'TOKEN_REVOKED')
  t.is((await enter(id, idp, 'leaver')).status, 403)
})

test('another issuer or client unlinks everybody, another secret does not; logins and chats end in any case', async (t) => {
  const { platform, id, someone, boss, idp } = await openWorkspace()
  const other = `${idp.origin}/other`
  const signedIn = async () => clientOf(platform, (await enter(id, idp, 'ada')).by)
  await link(someone, id, idp, 'ada')
  const first = await signedIn()
  const session = (await call(first, sessions.createSession, { body: {} })).body
  t.is(session.ownerId, id)
  t.is((await nameProvider(boss, id, idp.origin)).status, 200)
  t.is(codeOf(await call(first, auth.me)), 'TOKEN_REVOKED')
  const token = { headers: { 'x-session-token': session.token } }
  t.is(codeOf(await call(platform, sessions.getCurrentSession, token)), 'INVALID_SESSION')
  const second = await signedIn()
  t.is((await nameProvider(boss, id, other)).status, 200)
  t.is(codeOf(await call(second, auth.me)), 'TOKEN_REVOKED')
  t.is((await enter(id, idp, 'ada')).status, 403, 'the same subject at another issuer is somebody else')
  t.is((await nameProvider(boss, id, idp.origin)).status, 200)
  t.is((await enter(id, idp, 'ada')).status, 403)
})

test('a provider that is removed signs nobody in any more, nor does one of a deleted workspace', async (t) => {
  const { platform, id, someone, boss, idp } = await openWorkspace()
  await link(someone, id, idp, 'ada')
  const before = clientOf(platform, (await enter(id, idp, 'ada')).by)
  const by = visitor()
  const underWay = sentBack(idp, await beginSignIn(platform, by, id), 'ada')
  const params = { workspaceId: id }
  t.is((await call(boss, workspaceSignIn.removeWorkspaceSignIn, { params })).status, 204)
  t.is(codeOf(await call(before, auth.me)), 'TOKEN_REVOKED')
  t.is((await visit(platform, by, underWay.href)).status, 400)
  t.is((await visit(platform, visitor(), `/auth/oidc/${id}/start`)).status, 404)
  t.is((await call(boss, workspaceSignIn.getWorkspaceSignIn, { params })).body.provider, null)
  await nameProvider(boss, id, idp.origin)
  await link(someone, id, idp, 'ada')
  const again = clientOf(platform, (await enter(id, idp, 'ada')).by)
  await call(boss, workspaces.deleteWorkspace, { params })
  t.is(codeOf(await call(again, auth.me)), 'TOKEN_REVOKED')
  t.is((await visit(platform, visitor(), `/auth/oidc/${id}/start`)).status, 404)
})

test('an admin whom the provider has signed in makes no API key: it would outlive the provider', async (t) => {
  const { platform, id, boss, someone, idp } = await openWorkspace()
  const params = { workspaceId: id, userId: await userIdOf(someone) }
  await call(boss, members.changeRole, { params, body: { role: 'admin' } })
  await link(someone, id, idp, 'ada')
  const within = clientOf(platform, (await enter(id, idp, 'ada')).by)
  const body = { workspaceId: id, name: 'A back door', scopes: ['read' as const] }
  t.is(codeOf(await call(within, apiKeys.createApiKey, { body })), 'PERMISSION_DENIED')
  t.is(codeOf(await call(someone, apiKeys.createApiKey, { body })), '')
  const made = await call(boss, audit.listAudit, { query: { workspaceId: id, action: 'linkIdentity' } })
  t.like(made.body.items[0]?.after, { issuer: idp.origin })
})

test('admins name the provider, its secret is shown to nobody, and whoever runs it is not the owner by that', async (t) => {
  const { platform, id, boss, idp } = await openWorkspace()
  const params = { workspaceId: id }
  for (const role of ['member', 'viewer'] as const) {
    const someone = await memberOf(platform, id, role)
    t.is(codeOf(await nameProvider(someone, id, idp.origin)), 'PERMISSION_DENIED')
    t.is(codeOf(await call(someone, workspaceSignIn.getWorkspaceSignIn, { params })), 'PERMISSION_DENIED')
  }
  const shown = (await call(boss, workspaceSignIn.getWorkspaceSignIn, { params })).body
  t.deepEqual(Object.keys(shown.provider ?? {}), ['issuer', 'clientId', 'createdAt'])
  t.is(shown.redirectUri, `${platform.url}/auth/oidc/${id}/callback`)
  const [row] = await platform.services
    .database<{ workspaceId: string; clientSecret: string }>('workspace_providers')
    .where('workspaceId', id)
  t.regex(row?.clientSecret ?? '', /^test\.[\w-]+$/)
  const owner = await verifiedOwner(boss)
  await link(owner, id, idp, 'owner')
  const within = clientOf(platform, (await enter(id, idp, 'owner')).by)
  t.is((await call(within, workspaces.getWorkspace, { params })).body.role, 'admin')
  t.is(codeOf(await call(within, workspaces.deleteWorkspace, { params })), 'PERMISSION_DENIED')
})

/** Marks the address of somebody as verified. */
async function verifiedOwner<C extends Client>(someone: C): Promise<C> {
  const { platform } = await open()
  const id = await userIdOf(someone)
  await platform.services.database('users').where({ id }).update({ email_verified_at: new Date() })
  return someone
}

test('a page names the provider of a workspace before the browser goes there', async (t) => {
  const { platform, id, idp } = await openWorkspace()
  const by = visitor()
  const { status, location } = await visit(platform, by, `/auth/oidc/${id}/start`, 'text/html')
  t.is(status, 303)
  const page = await visit(platform, by, location, 'text/html')
  t.is(page.status, 200)
  t.true(page.text.includes(`Sign in at ${idp.host}?`))
})

test('on every route, a login by the provider of a workspace reaches that workspace, and nobody else, not even its user', async (t) => {
  const opened = await openWorkspace()
  const { platform, id, idp, sites } = opened
  const someone = await verifiedOwner(await customer(platform, 'enterprise'))
  await join(platform, id, someone, 'admin')
  await setAdmin(platform.services.database, someone.email, true)
  const own = await makeThings(platform, someone, sites)
  const elsewhere = (await workspaceOf(someone)).id
  await link(someone, id, idp, 'everywhere')
  const within = clientOf(platform, (await enter(id, idp, 'everywhere')).by)
  const open = new Set(['me', 'logout', 'readCsrfToken'])
  let count = 0
  for (const route of routes.filter(({ access, name }) => access !== 'anyone' && !open.has(name))) {
    const { failure, body } = await attempt(within, route, { ...own.params, ...notTheirs(opened, route) }, sites)
    count += 1
    if (route.access === 'admin') t.is(failure, 'ADMIN_REQUIRED', route.name)
    else if (isAboutAccount(route)) t.is(failure, 'PERMISSION_DENIED', route.name)
    else if (route.owner) {
      const named = await attempt(within, route, own.params, sites, elsewhere)
      t.is(named.failure, 'WORKSPACE_NOT_FOUND', route.name)
      const ofUser = await attempt(within, route, own.params, sites, await userIdOf(someone))
      t.is(ofUser.failure, 'WORKSPACE_NOT_FOUND', route.name)
    } else if (/\{/.test(route.path)) t.regex(failure, /NOT_FOUND$|^PERMISSION_DENIED$/, route.name)
    for (const secret of [elsewhere, own.agent.id, own.params['entryId'], own.params['apiKeyId'], own.params['runId']])
      t.false(body.includes(secret ?? 'none'), `${route.name} shows what is not of the workspace`)
  }
  t.log(`${count} routes`)
})

const isAboutAccount = (route: AnyRoute) => route.ofUser === true || (needsLogin(route) && !isOfOwner(route))

/** What a path names besides, which is not of the user of `own`. */
const notTheirs = ({ params }: { params: Record<string, string> }, _route: AnyRoute) => ({
  chatId: params['chatId'] ?? '',
})

async function attempt(
  client: Client,
  route: AnyRoute,
  things: Record<string, string>,
  sites: Parameters<typeof validBodies>[0],
  workspaceId?: string,
) {
  const params = paramsOf(route, things)
  const valid = validBodies(sites)[route.name]
  const within = workspaceId === undefined ? {} : { workspaceId }
  const raw = valid && { raw: JSON.stringify({ ...valid, ...(route.owner === 'body' && within) }) }
  const query = { ...validQueries[route.name], ...(route.owner === 'query' && within) }
  const answer = await call(client, route, { params, ...raw, query })
  if (answer.status >= 400) return { failure: answer.failure.code as string, body: JSON.stringify(answer.failure) }
  return { failure: '', body: JSON.stringify(answer.body ?? null) }
}

test('of a member who is removed while they sign in, either the login is refused or it ends', async (t) => {
  const { platform, id, boss, idp } = await openWorkspace()
  const outcomes = await Promise.all(
    Array.from({ length: 3 }, async (_, index) => {
      const someone = await verifiedOwner(await person(platform))
      await join(platform, id, someone, 'member')
      await link(someone, id, idp, `racer-${index}`)
      const params = { workspaceId: id, userId: await userIdOf(someone) }
      const [entered] = await Promise.all([
        enter(id, idp, `racer-${index}`),
        call(boss, members.removeMember, { params }),
      ])
      return entered.status === 200 ? codeOf(await call(clientOf(platform, entered.by), auth.me)) : 'refused'
    }),
  )
  assertAll(t, outcomes)
})

const assertAll = (t: ExecutionContext, outcomes: string[]) => {
  for (const outcome of outcomes) t.regex(outcome, /^(TOKEN_REVOKED|refused)$/)
}
