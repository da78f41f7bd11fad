// @promise moves
import test, { type ExecutionContext } from 'ava'
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
import { Revocation } from '../../src/vault/revocation.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import type { Connections } from '../../src/workspaces/workspace.ts'
import { secretText, startBareOAuthSite, tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call, type Client } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { comeBack, openConnectUrl } from '../helpers/connect.ts'
import { answering } from '../helpers/hostile-site.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { agentOf, customer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { join, memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'

/* What becomes of the sites that a member has connected who leaves. */

async function startStage(t: ExecutionContext) {
  const sites = [await startBareOAuthSite(t), await startBareOAuthSite(t)] as const
  const { caFile } = await temporaryCertificates()
  const env = { SITE_CA_FILE: caFile, SITE_ALLOW: sites.map(({ host }) => host).join(',') }
  const clock = movableClock(new Date().toISOString())
  return { sites, clock, platform: await startPlatform(t, { env, clock }) }
}
const stage = forWholeFile(test, 'leavers', startStage)

/** A workspace whose member has connected the first site, and its owner the second. */
async function open(role: Role = 'member') {
  const { sites, clock, platform } = await stage()
  const [site, other] = sites
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const member = await memberOf(platform, workspaceId, role)
  const connect = async (by: Person, { origin }: { origin: string }, more = {}) => {
    const visit = await begin(by, { url: origin, workspaceId, ...more })
    return ((await (await finish(visit)).json()) as { entryId: string }).entryId
  }
  async function begin(by: Client, body: { url: string; workspaceId: string } | { entryId: string }) {
    const { connectUrl, id } = (await call(by, oauth.startOAuth, { body })).body
    return { ...(await openConnectUrl(by, connectUrl)), flowId: id }
  }
  const finish = ({ location, cookie }: { location: string; cookie: string }) => {
    const state = new URL(location).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: secretText('code'), state })
    return comeBack(platform, `${platform.url}/vault/oauth/callback?${query.toString()}`, cookie)
  }
  const leave = async (by: Client, connections?: Connections) =>
    call(by, members.removeMember, {
      params: { workspaceId, userId: await userIdOf(member) },
      query: connections ? { connections } : {},
    })
  const set = (by: Client, connectionsOfLeavers: Connections) =>
    call(by, workspaces.updateWorkspace, { params: { workspaceId }, body: { connectionsOfLeavers } })
  const mine = { entryId: await connect(member, site), other: await connect(owner, other) }
  const left = async () =>
    (await call(owner, vault.listVault, { query: { workspaceId } })).body.items.map(({ id }) => id).toSorted()
  return { platform, clock, site, owner, member, workspaceId, begin, finish, leave, set, left, ...mine }
}

test.serial('what a leaver has connected stays, unless the workspace says otherwise', async (t) => {
  const { owner, member, leave, left, entryId, other } = await open()
  const entry = (await call(owner, vault.getVaultEntry, { params: { entryId } })).body
  t.is(entry.connectedBy, await userIdOf(member))
  t.is((await leave(member)).status, 204)
  t.deepEqual(await left(), [entryId, other].toSorted())
  t.is((await call(member, vault.getVaultEntry, { params: { entryId } })).failure.code, 'NOT_FOUND')
})

test.serial('the keys of a leaver to the workspace end, and the leaver’s other keys do not', async (t) => {
  const { platform, owner, member, workspaceId, leave } = await open('admin')
  const { id: elsewhere } = await workspaceOf(owner, 'Elsewhere')
  await join(platform, elsewhere, member, 'admin')
  const keyTo = async (of: { workspaceId?: string }) => {
    const { key } = (await call(member, apiKeys.createApiKey, { body: { ...of, name: 'A key', scopes: ['read'] } }))
      .body
    return { url: platform.url, token: key }
  }
  const [own, ended, other] = [await keyTo({}), await keyTo({ workspaceId }), await keyTo({ workspaceId: elsewhere })]
  await leave(owner)
  t.is((await call(ended, agents.listAgents)).failure.code, 'TOKEN_REVOKED')
  for (const key of [own, other]) t.is((await call(key, agents.listAgents)).status, 200)
})

test.serial('a workspace that says so takes it out of the vault, and its site is told', async (t) => {
  const { platform, site, owner, member, workspaceId, set, leave, left, entryId, other } = await open()
  t.is((await set(member, 'remove')).failure.code, 'PERMISSION_DENIED')
  t.is((await set(owner, 'remove')).body.connectionsOfLeavers, 'remove')
  const agent = await agentOf(owner, { workspaceId, sites: [{ vaultEntryId: entryId }, { vaultEntryId: other }] })
  const told = site.revokeForms.length
  t.is((await leave(member)).status, 204)
  t.deepEqual(await left(), [other])
  const { sites } = (await call(owner, agents.getAgent, { params: { agentId: agent.id } })).body
  t.deepEqual(
    sites.map(({ vaultEntryId }) => vaultEntryId),
    [other],
  )
  t.is(site.revokeForms.length, told, 'whoever leaves does not wait for the site')
  await runRound(platform.services, 'revocations')
  t.is(site.revokeForms.length, told + 1)
  await runRound(platform.services, 'revocations')
  t.is(site.revokeForms.length, told + 1, 'once')
})

for (const [role, may] of [
  ['viewer', false],
  ['member', false],
  ['admin', true],
] as const)
  test.serial(`who is ${role} ${may ? 'decides' : 'does not decide'} what is left behind`, async (t) => {
    const { platform, owner, leave, left, set, workspaceId, other, entryId } = await open()
    await set(owner, 'keep')
    const someone = await memberOf(platform, workspaceId, role)
    const answer = await leave(someone, 'remove')
    t.is(may ? answer.status : answer.failure.code, may ? 204 : 'PERMISSION_DENIED')
    t.deepEqual(await left(), (may ? [other] : [entryId, other]).toSorted())
  })

test.serial('nobody but admins decides it for themselves, and outsiders see no workspace', async (t) => {
  const { platform, owner, member, workspaceId, set, leave, left, entryId, other } = await open()
  await set(owner, 'remove')
  t.is((await leave(member, 'keep')).failure.code, 'PERMISSION_DENIED')
  t.is((await leave(await customer(platform), 'remove')).failure.code, 'WORKSPACE_NOT_FOUND')
  t.is((await leave(owner, 'keep')).status, 204)
  t.deepEqual(await left(), [entryId, other].toSorted())
  const admin = await memberOf(platform, workspaceId, 'admin')
  const params = { workspaceId, userId: await userIdOf(admin) }
  t.is((await call(admin, members.removeMember, { params, query: { connections: 'remove' } })).status, 204)
})

test.serial(
  'a site is asked to revoke the refresh token, which ends the grant, and without one the access token',
  async (t) => {
    const { sites } = await stage()
    const usual = sites[0].token
    t.teardown(() => void (sites[0].token = usual))
    for (const kind of ['refreshToken', 'accessToken'] as const) {
      if (kind === 'accessToken') sites[0].token = answering(tokenAnswer({ refresh_token: undefined }))
      const { platform, site, owner, leave, entryId } = await open()
      const { database, sealing } = platform.services
      const entry = await VaultEntry.query(database).findById(entryId).throwIfNotFound()
      const token = openCredential(sealing, entry)[kind]
      t.truthy(token)
      await leave(owner, 'remove')
      await runRound(platform.services, 'revocations')
      t.true(
        site.revokeForms.some((form) => form.get('token') === token),
        kind,
      )
    }
  },
)

test.serial('a site that does not answer is asked again for a day, also after the process has ended', async (t) => {
  const { platform, clock, site, owner, leave } = await open()
  const { services } = platform
  await runRound(services, 'revocations')
  const told = site.revokeForms.length
  site.revoke = (_request, response) => void response.writeHead(503).end()
  await leave(owner, 'remove')
  const noted = await Revocation.query(services.database)
  t.is(noted.length, 1)
  t.regex(noted[0]?.token ?? '', /^test\./, 'sealed')
  await runRound(services, 'revocations')
  await runRound(services, 'revocations')
  t.is(site.revokeForms.length, told + 1, 'there is a pause')
  clock.forward(16)
  await runRound(services, 'revocations')
  t.is(site.revokeForms.length, told + 2)
  // As if the process had been killed while it asked.
  await Revocation.query(services.database).patch({ nextAt: clock.now() })
  site.revoke = answering({})
  await runRound(services, 'revocations')
  t.is(site.revokeForms.length, told + 3)
  t.deepEqual(await Revocation.query(services.database), [])
  t.is(new Set(site.revokeForms.slice(told).map((form) => form.get('token'))).size, 1)
})

test.serial('an attempt to connect a site does not outlive the membership', async (t) => {
  const { member, owner, begin, finish, leave, left, entryId, other } = await open()
  const visit = await begin(member, { entryId })
  await leave(owner, 'keep')
  t.like(await (await finish(visit)).json(), { code: 'NOT_FOUND' })
  t.deepEqual(await left(), [entryId, other].toSorted())
})

test.serial('an attempt to connect a site does not outlive the logins of whoever began it', async (t) => {
  const { owner, begin, finish, other } = await open()
  const visit = await begin(owner, { entryId: other })
  await call(owner, auth.logoutEverywhere)
  t.like(await (await finish(visit)).json(), { code: 'PERMISSION_DENIED' })
})

test.serial('an attempt to authorize an entry again does not follow it to another owner', async (t) => {
  const { member, owner, begin, finish, entryId } = await open()
  const visit = await begin(owner, { entryId })
  const { updatedAt } = (await call(owner, vault.getVaultEntry, { params: { entryId } })).body
  await call(member, moves.moveThings, { body: { entryIds: [entryId] } })
  t.is((await finish(visit)).status, 404)
  const { connectedBy } = (await call(member, vault.getVaultEntry, { params: { entryId } })).body
  t.is(connectedBy, await userIdOf(member))
  t.truthy(updatedAt)
})
