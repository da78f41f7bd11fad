// @promise taken-back
import test from 'ava'
import * as accountMails from '../../api/account-mails.ts'
import { listAgentVersions } from '../../api/agent-versions.ts'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import * as invitations from '../../api/invitations.ts'
import * as signIn from '../../api/sign-in.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { newId } from '../../src/ids.ts'
import { Identity } from '../../src/sign-in/identity.ts'
import { call, type Client } from '../helpers/client.ts'
import { mailsTo, resetTokenOf, tokenTo } from '../helpers/mailbox.ts'
import { agentOf, connectTracker, customer, deliver, person, webhookAgent, type Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { inviteTo, memberOf, userIdOf, verified, verify, workspaceOf } from '../helpers/workspaces.ts'

/* Accounts that their owners take back by a new password, from somebody who has had them. */

const platformOf = sharedPlatform(test, 'idle')
const sitesOf = forWholeFile(test, 'taken back', startSites)
const open = async () => ({ platform: await platformOf(), sites: await sitesOf() })

const callbackUrl = 'https://hooks.example.com/runs?key=a'
const newPassword = 'a password that only the owner knows'

/** Resets the password by mail, and logs in with it. */
async function takeBack(platform: Platform, email: string): Promise<Client> {
  const body = { token: await resetTokenOf(platform, email), newPassword }
  await call(platform, accountMails.resetPassword, { body })
  const login = await call(platform, auth.login, { body: { email, password: newPassword } })
  return { url: platform.url, token: login.body.accessToken }
}

/** Links a provider at once. */
async function link({ services }: Platform, someone: Client, issuer: string): Promise<void> {
  const of = { provider: 'oidc', workspaceProviderId: null, issuer, subject: newId() }
  const row = { id: newId(), userId: await userIdOf(someone), ...of, linkedAt: services.clock.now() }
  await Identity.query(services.database).insert(row)
}

const told = async (platform: Platform, email: string): Promise<string> => {
  const mails = await mailsTo(platform, email)
  return mails.find(({ subject }) => subject === 'Your password was changed')?.text ?? ''
}

test('a provider that was linked before the account had this address does not sign in any more', async (t) => {
  const { platform } = await open()
  const [attacker, bystander] = [await verified(platform), await verified(platform)]
  for (const one of [attacker, bystander]) await link(platform, one, 'https://attacker.example.com')
  const email = `${newId()}@example.com`
  await call(attacker, accountMails.changeEmail, { body: { newEmail: email, currentPassword: attacker.password } })
  await call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, email) } })
  const owner = await takeBack(platform, email)
  t.deepEqual((await call(owner, signIn.listIdentities)).body.items, [])
  t.is((await call(bystander, signIn.listIdentities)).body.items.length, 1, 'it signs in to another account still')
})

test('what stays in a verified account is named in the mail, without words that somebody has chosen', async (t) => {
  const { platform, sites } = await open()
  const someone = await customer(platform, 'team')
  await verify(platform, someone)
  const shared = await agentOf(someone, { callbackUrl, workspaceId: (await workspaceOf(someone)).id })
  await link(platform, someone, 'https://idp.example.com')
  const agent = await agentOf(someone, { callbackUrl, name: 'Your account is locked' })
  const gone = await agentOf(someone, { callbackUrl })
  await call(someone, agents.deleteAgent, { params: { agentId: gone.id } })
  await connectTracker(someone, sites)
  for (const name of ['Deleted', 'Call us']) {
    const { id } = (await call(someone, apiKeys.createApiKey, { body: { name, scopes: ['read'] } })).body
    if (name === 'Deleted') await call(someone, apiKeys.deleteApiKey, { params: { apiKeyId: id } })
  }
  const owner = await takeBack(platform, someone.email)
  const text = await told(platform, someone.email)
  const { origin } = sites.tracker
  for (const named of [
    'https://idp.example.com',
    `${agent.id} to hooks.example.com`,
    `${shared.id} to hooks.example.com`,
    origin,
    'Valid API keys: 1',
  ])
    t.true(text.includes(named), named)
  t.notRegex(text, /locked|Call us|key=a/)
  t.false(text.includes(gone.id), 'what was deleted is not left')
  t.is((await call(owner, signIn.listIdentities)).body.items.length, 1)
  const kept = (await call(owner, agents.getAgent, { params: { agentId: agent.id } })).body
  t.deepEqual([kept.callbackUrl, kept.pausedAt], [callbackUrl, null])
})

/** An account with the address of somebody else, who has verified nothing. */
async function squatted(platform: Platform) {
  const squatter = await customer(platform, 'enterprise')
  const { id: workspaceId } = await workspaceOf(squatter)
  return { squatter, workspaceId, accomplice: await memberOf(platform, workspaceId, 'admin') }
}

const siteOf = async (someone: Person, workspaceId: string, { tracker }: Awaited<ReturnType<typeof startSites>>) => {
  const body = { workspaceId, url: tracker.origin, token: tracker.createToken('ada', 'admin') }
  return (await call(someone, vault.addToVault, { body })).body.id
}

test('of an account whose address nobody had verified, nothing goes on for whoever has made it', async (t) => {
  const { platform, sites } = await open()
  const { squatter, workspaceId, accomplice } = await squatted(platform)
  const hooked = await webhookAgent(squatter)
  const agent = await agentOf(squatter, { callbackUrl })
  const shared = await agentOf(squatter, { callbackUrl, workspaceId })
  const entries = [await connectTracker(squatter, sites), await siteOf(squatter, workspaceId, sites)]
  const { key } = (
    await call(accomplice, apiKeys.createApiKey, { body: { workspaceId, name: 'A key', scopes: ['read', 'write'] } })
  ).body
  await call(squatter, agents.updateAgent, { params: { agentId: agent.id }, body: { name: 'Renamed' } })
  // An invitation from a time at which the address was verified.
  await inviteTo(platform, squatter, workspaceId)
  const { database, clock } = platform.services
  const provider = { issuer: 'https://idp.example.com', clientId: 'a', clientSecret: 'test.sealed' }
  const neighbour = await squatted(platform)
  const { squatter: boss, workspaceId: elsewhere } = neighbour
  const theirs = await agentOf(boss, { callbackUrl, workspaceId: elsewhere })
  const theirEntry = await siteOf(boss, elsewhere, sites)
  const keyed = { workspaceId: elsewhere, name: 'A key', scopes: ['read' as const] }
  const { key: theirKey } = (await call(neighbour.accomplice, apiKeys.createApiKey, { body: keyed })).body
  await inviteTo(platform, boss, elsewhere)
  const providers = [workspaceId, elsewhere].map((id) => ({ ...provider, id: newId(), workspaceId: id }))
  await database('workspace_providers').insert(providers.map((row) => ({ ...row, createdAt: clock.now() })))
  await database('users').where({ email: squatter.email }).update({ emailVerifiedAt: null })
  const owner = await takeBack(platform, squatter.email)
  const delivery = await deliver(squatter, hooked, { number: 1 })
  t.is(delivery.failure.code, 'WEBHOOK_SECRET_INVALID')
  t.regex(await told(platform, squatter.email), /replaced their webhook secrets/)
  for (const { id } of [agent, shared]) {
    const { body } = await call(owner, agents.getAgent, { params: { agentId: id } })
    t.is(body.callbackUrl, null)
    t.not(body.pausedAt, null)
    const { items } = (await call(owner, listAgentVersions, { params: { agentId: id } })).body
    t.deepEqual(
      items.map(({ version, changed, by }) => ({ version, changed, via: by.via })),
      [{ version: body.version, changed: ['callbackUrl'], via: 'platform' }],
      'no version would bring the address back',
    )
  }
  for (const entryId of entries)
    t.is((await call(owner, vault.getVaultEntry, { params: { entryId } })).body.status, 'needs_reauth')
  t.is(
    (await call(accomplice, workspaces.getWorkspace, { params: { workspaceId } })).failure.code,
    'WORKSPACE_NOT_FOUND',
  )
  t.is((await call({ url: platform.url, token: key }, agents.listAgents)).failure.code, 'TOKEN_REVOKED')
  t.deepEqual((await call(owner, invitations.listInvitations, { params: { workspaceId } })).body.items, [])
  t.deepEqual(await database('workspace_providers').where({ workspaceId }), [])
  t.regex(await told(platform, squatter.email), /This address had never been verified/)

  // With somebody else everything is as it was.
  const params = { workspaceId: elsewhere }
  const kept = (await call(boss, agents.getAgent, { params: { agentId: theirs.id } })).body
  t.like(kept, { callbackUrl, pausedAt: null })
  t.is((await call(boss, vault.getVaultEntry, { params: { entryId: theirEntry } })).body.status, 'connected')
  t.is((await call(neighbour.accomplice, workspaces.getWorkspace, { params })).status, 200)
  t.is((await call({ url: platform.url, token: theirKey }, agents.listAgents)).status, 200)
  t.is((await call(boss, invitations.listInvitations, { params })).body.items.length, 1)
  t.is((await database('workspace_providers').where(params)).length, 1)
})

test('somebody who has registered by a verified address keeps everything', async (t) => {
  const { platform } = await open()
  const someone = await person(platform, `${newId()}@example.com`)
  await call(platform, accountMails.verifyEmail, { body: { token: await tokenTo(platform, someone.email) } })
  const agent = await agentOf(someone, { callbackUrl })
  const owner = await takeBack(platform, someone.email)
  const { body } = await call(owner, agents.getAgent, { params: { agentId: agent.id } })
  t.deepEqual([body.callbackUrl, body.pausedAt], [callbackUrl, null])
  t.notRegex(await told(platform, someone.email), /had never been verified/)
})
