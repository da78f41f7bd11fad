import test from 'ava'
import { rotateSecret } from '../../../api/agent-secrets.ts'
import { VaultEntry } from '../../../src/vault/vault-entry.ts'
import { openCredential } from '../../../src/vault/credential.ts'
import { call } from '../../helpers/client.ts'
import { connectContacts, startOAuthSites } from '../../helpers/connect.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { userIdOf } from '../../helpers/workspaces.ts'

// @promise hiding
test('both tokens of an agent’s site, its webhook secret and its callback secret are kept from models and readers', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  const platform = await startPlatform(t, { sites, env })
  const { agents, database, sealing } = platform.services
  const someone = await customer(platform)
  const entryId = await connectContacts(someone, contacts)
  const agent = await webhookAgent(someone, {
    callbackUrl: 'https://hooks.example.com/runs',
    sites: [{ vaultEntryId: entryId }],
  })
  const entry = await VaultEntry.query(database).findById(entryId).throwIfNotFound()
  const { accessToken, refreshToken } = openCredential(sealing, entry)
  const rotated = (await call(someone, rotateSecret, { params: { agentId: agent.id }, body: {} })).body
  const known = await agents.knownSecrets(agent.id, await userIdOf(someone))
  // The former one is good for a day.
  const own = [agent.webhookSecret, rotated.webhookSecret, agent.callbackSecret].map((secret) => secret ?? 'none')
  for (const secret of [accessToken, refreshToken, ...own, ...own.map((one) => one.replace('whsec_', ''))])
    t.true(known.includes(secret ?? 'none'))
})
