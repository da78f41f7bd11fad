// @promise sign-in
import test from 'ava'
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
import * as transfers from '../../api/transfers.ts'
import * as workspaces from '../../api/workspaces.ts'
import { makeThings, openStage, paramsOf, validBodies, validQueries } from '../api/stage.ts'
import { newId } from '../../src/ids.ts'
import { Identity } from '../../src/sign-in/identity.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { sentBack, type BareIdentityProvider } from '../helpers/bare-identity-provider.ts'
import { call, type Client } from '../helpers/client.ts'
import { customer, person, type Person } from '../helpers/people.ts'
import { beginSignIn, clientOf, nameProvider, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, verified, verify, workspaceOf } from '../helpers/workspaces.ts'

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

const askToLink = (someone: Person, workspaceId: string) =>
  call(someone, signIn.linkIdentity, { body: { provider: workspaceId, currentPassword: someone.password } })

async function link(someone: Person, workspaceId: string, idp: BareIdentityProvider, user: string) {
  const by = visitor()
  const { location } = await visit(someone, by, (await askToLink(someone, workspaceId)).body.linkUrl)
  return visit(someone, by, sentBack(idp, location, user).href)
}

/** Signs in by the provider; whom the browser is signed in as. */
const signedIn = async (workspaceId: string, idp: BareIdentityProvider, user: string) =>
  clientOf((await open()).platform, (await enter(workspaceId, idp, user)).by)

const codeOf = (answer: { status: number; failure: { code: string } }): string =>
  answer.status < 300 ? '' : answer.failure.code

test('a member who has linked the provider of a workspace signs in to it, and to nothing else', async (t) => {
  const { platform, id, boss, someone, idp } = await openWorkspace()
  t.is((await enter(id, idp, 'ada')).status, 403, 'not linked yet')
  t.is((await link(someone, id, idp, 'ada')).status, 200)
  const within = await signedIn(id, idp, 'ada')
  t.is(await userIdOf(within), await userIdOf(someone))
  const noted = (await call(boss, audit.listAudit, { query: { workspaceId: id, action: 'finishSignIn' } })).body.items
  t.like(noted, { 0: { actor: { email: someone.email } }, length: 1 }, 'the workspace is told in its log')
  const { items } = (await call(within, workspaces.listWorkspaces)).body
  t.deepEqual(
    items.map((one) => one.id),
    [id],
  )
  const listed = (await call(someone, logins.listLogins)).body.items
  t.deepEqual(listed.map((one) => one.workspaceId).filter(Boolean), [id])
  const identity = { provider: id, workspaceId: id, issuer: idp.origin }
  t.like((await call(someone, signIn.listIdentities)).body.items, [identity])

  const stranger = await verified(platform)
  const { failure } = await askToLink(stranger, id)
  t.is(failure.code, 'NOT_FOUND')
  const elsewhere = await workspaceOf(await customer(platform, 'team'))
  t.deepEqual(failure, (await askToLink(stranger, elsewhere.id)).failure, 'to others it is not there')

  const by = visitor()
  const { location } = await visit(platform, by, `/auth/oidc/${id}/start`, 'text/html')
  const page = await visit(platform, by, location, 'text/html')
  t.is(page.status, 200)
  t.true(page.text.includes(`Sign in with ${idp.host}?`), 'the provider is named before the browser goes there')
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
  t.deepEqual(await platform.services.database('identities').whereLike('subject', 'attacker-%'), [])
})

test('the provider of a workspace is no way in to an account, which keeps its last one', async (t) => {
  const { platform, id, someone, idp } = await openWorkspace()
  await link(someone, id, idp, 'ada')
  const { database } = platform.services
  const [userId, identityId] = [await userIdOf(someone), newId()]
  const row = { provider: 'oidc', issuer: 'https://idp.example.com', subject: newId(), linkedAt: new Date() }
  await Identity.query(database).insert({ ...row, id: identityId, userId, workspaceProviderId: null })
  await database('users').where({ id: userId }).update({ passwordHash: null })
  const params = { identityId }
  t.is(codeOf(await call(someone, signIn.unlinkIdentity, { params })), 'PERMISSION_DENIED')
})

test('the same issuer and subject, asserted by the provider of another workspace, is somebody else', async (t) => {
  const { platform, id, someone, idp } = await openWorkspace()
  t.is((await link(someone, id, idp, 'grace')).status, 200)
  const second = await openWorkspace()
  t.is((await enter(second.id, idp, 'grace')).status, 403)
  await join(platform, second.id, someone, 'member')
  t.is((await enter(second.id, idp, 'grace')).status, 403, 'a member there, who has not linked it')
  t.is((await link(second.someone, second.id, idp, 'grace')).status, 200)
  const them = await signedIn(second.id, idp, 'grace')
  t.is(await userIdOf(them), await userIdOf(second.someone))
  t.is(codeOf(await call(them, workspaces.getWorkspace, { params: { workspaceId: id } })), 'WORKSPACE_NOT_FOUND')
})

test('whoever leaves, or is removed, is signed out of the workspace, and not linked if they come back', async (t) => {
  const { platform, id, someone, boss, idp } = await openWorkspace()
  await link(someone, id, idp, 'leaver')
  const within = await signedIn(id, idp, 'leaver')
  const colleague = await verified(platform)
  await join(platform, id, colleague, 'member')
  await link(colleague, id, idp, 'stayer')
  const staying = await signedIn(id, idp, 'stayer')
  const { id: elsewhere } = await openWorkspace()
  await join(platform, elsewhere, someone, 'member')
  await link(someone, elsewhere, idp, 'elsewhere')
  const away = await signedIn(elsewhere, idp, 'elsewhere')
  const late = visitor()
  const { location } = await visit(someone, late, (await askToLink(someone, id)).body.linkUrl)
  const params = { workspaceId: id, userId: await userIdOf(someone) }
  t.is((await call(boss, members.removeMember, { params })).status, 204)
  t.is(codeOf(await call(staying, auth.me)), '', 'others stay signed in')
  t.is((await visit(someone, late, sentBack(idp, location, 'late').href)).status, 403, 'nothing more is linked')
  t.is(codeOf(await call(away, auth.me)), '', 'another workspace is another one')
  t.is((await enter(elsewhere, idp, 'elsewhere')).status, 200)
  for (const isBack of [false, true]) {
    if (isBack) await join(platform, id, someone, 'member')
    t.is(codeOf(await call(within, auth.me)), 'TOKEN_REVOKED')
    t.is((await enter(id, idp, 'leaver')).status, 403)
  }
})

test('another issuer unlinks everybody, another secret does not; logins and chats end in any case', async (t) => {
  const { platform, id, someone, boss, idp } = await openWorkspace()
  await link(someone, id, idp, 'ada')
  const first = await signedIn(id, idp, 'ada')
  const session = (await call(first, sessions.createSession, { body: {} })).body
  t.is(session.ownerId, id)
  t.is((await nameProvider(boss, id, idp.origin)).status, 200)
  t.is(codeOf(await call(first, auth.me)), 'TOKEN_REVOKED')
  const token = { headers: { 'x-session-token': session.token } }
  t.is(codeOf(await call(platform, sessions.getCurrentSession, token)), 'INVALID_SESSION')
  const second = await signedIn(id, idp, 'ada')
  for (const issuer of [`${idp.origin}/other`, idp.origin]) {
    t.is((await nameProvider(boss, id, issuer)).status, 200)
    t.is(codeOf(await call(second, auth.me)), 'TOKEN_REVOKED')
    t.is((await enter(id, idp, 'ada')).status, 403, 'the same subject at another issuer is somebody else')
  }
})

test('a provider that is removed signs nobody in any more, nor does one of a deleted workspace', async (t) => {
  const { platform, id, someone, boss, idp } = await openWorkspace()
  const params = { workspaceId: id }
  const ends = {
    removed: () => call(boss, workspaceSignIn.removeWorkspaceSignIn, { params }),
    deleted: () => call(boss, workspaces.deleteWorkspace, { params }),
  }
  for (const [how, end] of Object.entries(ends)) {
    await nameProvider(boss, id, idp.origin)
    await link(someone, id, idp, 'ada')
    const before = await signedIn(id, idp, 'ada')
    const by = visitor()
    const underWay = sentBack(idp, await beginSignIn(platform, by, id), 'ada')
    t.is((await end()).status, 204)
    t.is(codeOf(await call(before, auth.me)), 'TOKEN_REVOKED', how)
    t.true((await visit(platform, by, underWay.href)).status >= 400, how)
    t.false(by.cookies.has('switchyard_access'))
    t.is((await visit(platform, visitor(), `/auth/oidc/${id}/start`)).status, 404, how)
  }
})

test('whom the provider has signed in is an admin at most, and makes no API key, which would outlive it', async (t) => {
  const { platform, id, boss, someone, idp } = await openWorkspace()
  const params = { workspaceId: id, userId: await userIdOf(someone) }
  await call(boss, members.changeRole, { params, body: { role: 'admin' } })
  await link(someone, id, idp, 'ada')
  const body = { workspaceId: id, name: 'A back door', scopes: ['read' as const] }
  const made = (by: Client) => call(by, apiKeys.createApiKey, { body })
  t.is(codeOf(await made(await signedIn(id, idp, 'ada'))), 'PERMISSION_DENIED')
  t.is(codeOf(await made(someone)), '')
  const offered = { userId: params.userId, password: boss.password }
  t.is(codeOf(await call(boss, transfers.offerWorkspace, { params, body: offered })), '')
  const accept = async (by: Client) => codeOf(await call(by, transfers.acceptTransfer, { params }))
  t.is(await accept(await signedIn(id, idp, 'ada')), 'PERMISSION_DENIED', 'it makes nobody pay')
  t.is(await accept(someone), 'WORKSPACE_REQUIRED')
  const noted = await call(boss, audit.listAudit, { query: { workspaceId: id, action: 'linkIdentity' } })
  t.like(noted.body.items[0]?.after, { issuer: idp.origin })

  await verify(platform, boss)
  await link(boss, id, idp, 'owner')
  const within = await signedIn(id, idp, 'owner')
  t.is((await call(within, workspaces.getWorkspace, { params })).body.role, 'admin')
  t.is((await call(within, auth.me)).body.homeOwnerId, id, 'its pages begin in the workspace')
  t.is((await call(boss, auth.me)).body.homeOwnerId, await userIdOf(boss))
  t.is(codeOf(await call(within, workspaces.deleteWorkspace, { params })), 'PERMISSION_DENIED')
})

test('admins name the provider, and its secret is shown to nobody', async (t) => {
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
  const secrets = platform.services.database('workspace_providers').where('workspaceId', id).pluck('client_secret')
  t.regex(String(await secrets), /^test\.[\w-]+$/)
})

test('on every route, a login by the provider of a workspace reaches that workspace, and nobody else, not even its user', async (t) => {
  const { platform, id, idp, sites, params } = await openWorkspace()
  const someone = await customer(platform, 'enterprise')
  await verify(platform, someone)
  await join(platform, id, someone, 'admin')
  await setAdmin(platform.services.database, someone.email, true)
  const own = await makeThings(platform, someone, sites)
  const elsewhere = (await workspaceOf(someone)).id
  await link(someone, id, idp, 'everywhere')
  const within = await signedIn(id, idp, 'everywhere')
  const open = new Set(['me', 'logout', 'readCsrfToken'])
  for (const route of routes.filter(({ access, name }) => access !== 'anyone' && !open.has(name))) {
    // The chat is not one of the user of `own`.
    const { failure, body } = await attempt(within, route, { ...own.params, chatId: params['chatId'] ?? '' }, sites)
    if (route.access === 'admin') t.is(failure, 'ADMIN_REQUIRED', route.name)
    else if (isAboutAccount(route)) t.is(failure, 'PERMISSION_DENIED', route.name)
    else if (route.owner) {
      for (const owner of [elsewhere, await userIdOf(someone)])
        t.is((await attempt(within, route, own.params, sites, owner)).failure, 'WORKSPACE_NOT_FOUND', route.name)
    } else if (/\{/.test(route.path)) t.regex(failure, /NOT_FOUND$|^PERMISSION_DENIED$/, route.name)
    for (const secret of [elsewhere, own.agent.id, own.params['entryId'], own.params['apiKeyId'], own.params['runId']])
      t.false(body.includes(secret ?? 'none'), `${route.name} shows what is not of the workspace`)
  }
})

const isAboutAccount = (route: AnyRoute) => route.ofUser === true || (needsLogin(route) && !isOfOwner(route))

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
  const racing = Array.from({ length: 3 }, async (_, index) => {
    const someone = await person(platform)
    await verify(platform, someone)
    await join(platform, id, someone, 'member')
    await link(someone, id, idp, `racer-${index}`)
    const params = { workspaceId: id, userId: await userIdOf(someone) }
    const [entered] = await Promise.all([
      enter(id, idp, `racer-${index}`),
      call(boss, members.removeMember, { params }),
    ])
    return entered.status === 200 ? codeOf(await call(clientOf(platform, entered.by), auth.me)) : 'refused'
  })
  for (const outcome of await Promise.all(racing)) t.regex(outcome, /^(TOKEN_REVOKED|refused)$/)
})
