// @promise moves
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as members from '../../api/members.ts'
import * as moves from '../../api/moves.ts'
import * as oauth from '../../api/oauth.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { runRound } from '../../src/loops.ts'
import type { Role } from '../../src/owners/roles.ts'
import { openCredential } from '../../src/vault/credential.ts'
import { resetPassword } from '../../src/users/reset-password.ts'
import { Revocation } from '../../src/vault/revocation.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import type { Connections } from '../../src/workspaces/workspace.ts'
import { secretText, startBareOAuthSite, tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call, type Client } from '../helpers/client.ts'
import { openSession } from '../chat/stage.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { answering } from '../helpers/hostile-site.ts'
import { cheapCost } from '../helpers/passwords.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { current } from '../helpers/sessions.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* What becomes of the sites that a member has connected who leaves. */

const house = sharedPlatform(test, 'idle')
const twoSites = forWholeFile(test, 'leavers', async (t) => [await startBareOAuthSite(t), await startBareOAuthSite(t)])

/** A workspace whose member has connected the first site, and its owner the second. */
async function open(role: Role = 'member') {
  const platform = await house()
  const [site, otherSite] = (await twoSites()) as [Site, Site]
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await memberOf(platform, workspaceId, role)
  const [params, userId] = [{ workspaceId }, await userIdOf(member)]
  async function begin(by: Client, body: { url: string; workspaceId?: string } | { entryId: string }) {
    return openConnectUrl(by, (await call(by, oauth.startOAuth, { body })).body.connectUrl)
  }
  const finish = ({ location, cookie }: { location: string; cookie: string }) => {
    const state = new URL(location).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: secretText('code'), state })
    return comeBack(platform, `${platform.url}/vault/oauth/callback?${query.toString()}`, cookie)
  }
  const connect = async (by: Client, { origin: url }: Site) =>
    ((await (await finish(await begin(by, { url, workspaceId }))).json()) as { entryId: string }).entryId
  const [entryId, other] = [await connect(member, site), await connect(owner, otherSite)]
  return {
    platform,
    site,
    owner,
    member,
    userId,
    workspaceId,
    entryId,
    other,
    begin,
    finish,
    otherSite,
    /** The member leaves, or somebody removes them; the code of the refusal, if it is one. */
    leave: async (by: Client, connections?: Connections) => {
      const query = connections ? { connections } : {}
      const answer = await call(by, members.removeMember, { params: { ...params, userId }, query })
      return answer.status === 204 ? '' : answer.failure.code
    },
    set: (by: Client, connectionsOfLeavers: Connections) =>
      call(by, workspaces.updateWorkspace, { params, body: { connectionsOfLeavers } }),
    left: async () => (await call(owner, vault.listVault, { query: params })).body.items.map(({ id }) => id).toSorted(),
    revoke: () => runRound(platform.services, 'revocations'),
    /** What the site does not know yet. */
    noted: () =>
      Revocation.query(platform.services.database).whereRaw(`auth ->> 'revocation_url' = ?`, [`${site.origin}/revoke`]),
  }
}

type Site = Awaited<ReturnType<typeof startBareOAuthSite>>

test.serial('what a leaver has connected stays, unless the workspace or an admin says otherwise', async (t) => {
  const { platform, owner, member, workspaceId, leave, left, entryId, other } = await open()
  const entry = (await call(owner, vault.getVaultEntry, { params: { entryId } })).body
  t.is(entry.connectedBy, await userIdOf(member))
  t.is(await leave(await customer(platform), 'remove'), 'WORKSPACE_NOT_FOUND')
  for (const role of ['viewer', 'member'] as const)
    t.is(await leave(await memberOf(platform, workspaceId, role), 'remove'), 'PERMISSION_DENIED', role)
  t.is(await leave(member, 'remove'), 'PERMISSION_DENIED')
  t.is(await leave(member), '')
  t.deepEqual(await left(), [entryId, other].toSorted())
  t.is((await call(member, vault.getVaultEntry, { params: { entryId } })).failure.code, 'NOT_FOUND')
  const admin = await memberOf(platform, workspaceId, 'admin')
  const params = { workspaceId, userId: await userIdOf(admin) }
  t.is((await call(admin, members.removeMember, { params, query: { connections: 'remove' } })).status, 204)
})

test.serial('the keys and sessions of a leaver in the workspace end, and no others', async (t) => {
  const { platform, owner, member, workspaceId, leave } = await open('admin')
  const { id: elsewhere } = await workspaceOf(owner, 'Elsewhere')
  await join(platform, elsewhere, member, 'admin')
  const keyTo = async (of: { workspaceId?: string }) => {
    const { key } = (await call(member, apiKeys.createApiKey, { body: { ...of, name: 'A key', scopes: ['read'] } }))
      .body
    return { url: platform.url, token: key }
  }
  const colleague = await memberOf(platform, workspaceId, 'member')
  const sessionOf = (someone: typeof member, where = workspaceId) => openSession(someone, { workspaceId: where })
  const [kept, away] = [await sessionOf(owner), await sessionOf(member, elsewhere)]
  const [lost, left] = [await sessionOf(colleague), await sessionOf(member)]
  const params = { workspaceId, userId: await userIdOf(colleague) }
  await call(owner, members.changeRole, { params, body: { role: 'viewer' } })
  t.is((await current(lost, lost.token)).failure.code, 'INVALID_SESSION', 'a viewer does not chat')
  for (const session of [kept, away, left]) t.is((await current(session, session.token)).status, 200)
  const [own, ended, other] = [await keyTo({}), await keyTo({ workspaceId }), await keyTo({ workspaceId: elsewhere })]
  await leave(owner)
  t.is((await call(ended, agents.listAgents)).failure.code, 'TOKEN_REVOKED')
  for (const key of [own, other]) t.is((await call(key, agents.listAgents)).status, 200)
  t.is((await current(left, left.token)).failure.code, 'INVALID_SESSION')
  for (const session of [kept, away]) t.is((await current(session, session.token)).status, 200)
})

test.serial('a workspace that says so takes it out of the vault, and its site is told', async (t) => {
  const { site, owner, member, workspaceId, set, leave, left, entryId, other, revoke, ...opened } = await open()
  const { begin, finish, otherSite } = opened
  t.is((await finish(await begin(member, { url: site.origin }))).status, 200)
  const underWay = await begin(member, { url: otherSite.origin })
  t.is((await set(member, 'remove')).failure.code, 'PERMISSION_DENIED')
  t.is((await set(owner, 'remove')).body.connectionsOfLeavers, 'remove')
  const agent = await agentOf(owner, { workspaceId, sites: [{ vaultEntryId: entryId }, { vaultEntryId: other }] })
  const told = site.revokeForms.length
  t.is(await leave(member, 'keep'), 'PERMISSION_DENIED')
  t.is(await leave(member), '')
  t.deepEqual(await left(), [other])
  const { sites } = (await call(owner, agents.getAgent, { params: { agentId: agent.id } })).body
  t.deepEqual(
    sites.map(({ vaultEntryId }) => vaultEntryId),
    [other],
  )
  t.is(site.revokeForms.length, told, 'whoever leaves does not wait for the site')
  await revoke()
  await revoke()
  t.is(site.revokeForms.length, told + 1, 'once')
  t.is((await finish(underWay)).status, 200, 'an attempt for the own vault goes on')
  t.is((await call(member, vault.listVault)).body.items.length, 2, 'what is in the own vault stays there')
})

test.serial('an admin has it removed: the refresh token is revoked, or without one the access token', async (t) => {
  const [site] = (await twoSites()) as [Site]
  const usual = site.token
  t.teardown(() => void (site.token = usual))
  for (const kind of ['refreshToken', 'accessToken'] as const) {
    if (kind === 'accessToken') site.token = answering(tokenAnswer({ refresh_token: undefined }))
    const { platform, workspaceId, leave, left, entryId, other, revoke } = await open()
    const { database, sealing } = platform.services
    const token = openCredential(sealing, await VaultEntry.query(database).findById(entryId).throwIfNotFound())[kind]
    t.truthy(token)
    t.is(await leave(await memberOf(platform, workspaceId, 'admin'), 'remove'), '')
    t.deepEqual(await left(), [other])
    await revoke()
    t.is(site.revokeForms.at(-1)?.get('token'), token, kind)
  }
})

test.serial('a site that does not answer is asked again for a day, also after the process has ended', async (t) => {
  const { site, owner, leave, revoke, noted } = await open()
  const told = site.revokeForms.length
  site.revoke = (_request, response) => void response.writeHead(503).end()
  await leave(owner, 'remove')
  const [{ token, giveUpAt, createdAt } = t.fail(), ...more] = await noted()
  t.deepEqual(more, [])
  t.regex(token, /^test\./, 'sealed')
  t.is(giveUpAt.getTime() - createdAt.getTime(), 86_400_000)
  await revoke()
  await revoke()
  t.is(site.revokeForms.length, told + 1, 'there is a pause')
  t.true((await noted()).every(({ nextAt }) => nextAt.getTime() > Date.now() + 5000))
  for (const [index, answer] of [site.revoke, answering({})].entries()) {
    // The second as if the process had been killed while it asked.
    await noted().patch({ nextAt: new Date() })
    site.revoke = answer
    await revoke()
    t.is(site.revokeForms.length, told + 2 + index)
  }
  t.deepEqual(await noted(), [])
  t.is(new Set(site.revokeForms.slice(told).map((form) => form.get('token'))).size, 1)

  const another = await open()
  site.revoke = (_request, response) => void response.writeHead(503).end()
  await another.leave(another.owner, 'remove')
  await noted().patch({ nextAt: new Date(), giveUpAt: new Date() })
  await revoke()
  site.revoke = answering({})
  t.deepEqual(await noted(), [], 'a day is over')
})

test.serial('an attempt to connect a site does not outlive the membership, nor follow an entry', async (t) => {
  const { platform, workspaceId, member, userId, owner, entryId, other, begin, finish, leave, set, left } = await open()
  const colleague = await memberOf(platform, workspaceId, 'member')
  const underWay = [await begin(owner, { entryId }), await begin(member, { entryId: other })] as const
  const ofColleague = await begin(colleague, { entryId: other })
  t.is((await call(member, moves.moveThings, { body: { entryIds: [entryId] } })).status, 200)
  t.is((await finish(underWay[0])).status, 404)
  t.is((await call(member, vault.getVaultEntry, { params: { entryId } })).body.connectedBy, userId)
  t.is((await call(member, moves.moveThings, { body: { entryIds: [entryId], workspaceId } })).status, 200)
  await set(owner, 'remove')
  t.is(await leave(owner, 'keep'), '')
  t.like(await (await finish(underWay[1])).json(), { code: 'NOT_FOUND' })
  t.deepEqual(await left(), [entryId, other].toSorted())
  t.is((await finish(ofColleague)).status, 200, 'that of a colleague goes on')
  const { connectedBy } = (await call(owner, vault.getVaultEntry, { params: { entryId: other } })).body
  t.is(connectedBy, await userIdOf(colleague), 'it is the grant of whoever has connected the site anew')
  const log = platform.services.database('audit_entries').where({ ownerId: workspaceId, action: 'finishOAuth' })
  const noted = (await log.orderBy('id')) as { subjectId: string; outcome: string }[]
  t.deepEqual(
    noted.map(({ subjectId, outcome }) => [subjectId, outcome]),
    [entryId, other, other].map((id) => [id, 'done']),
    'what was refused has changed nothing',
  )
})

test.serial(
  'an attempt to connect a site does not outlive the workspace, and what it has brought is given back',
  async (t) => {
    const { site, owner, member, workspaceId, entryId, begin, finish } = await open()
    const visit = await begin(member, { entryId })
    const told = site.revokeForms.length
    t.is((await call(owner, workspaces.deleteWorkspace, { params: { workspaceId } })).status, 204)
    t.like(await (await finish(visit)).json(), { code: 'NOT_FOUND' })
    t.true(site.revokeForms.length > told)
  },
)

test.serial('an attempt to connect a site does not outlive the logins of whoever began it', async (t) => {
  const { platform, owner, member, workspaceId, begin, finish, other } = await open()
  const colleague = await memberOf(platform, workspaceId, 'member')
  const ended = [await begin(owner, { entryId: other }), await begin(member, { entryId: other })]
  const ofColleague = await begin(colleague, { entryId: other })
  await call(owner, auth.logoutEverywhere)
  await resetPassword({ ...platform.services, passwordCost: cheapCost }, member.email)
  for (const visit of ended) t.like(await (await finish(visit)).json(), { code: 'PERMISSION_DENIED' })
  t.is((await finish(ofColleague)).status, 200, 'those of others go on')
})
