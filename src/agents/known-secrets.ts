import type { Database } from '../database/database.ts'
import type { Vault } from '../vault/vault.ts'
import { Agent, AgentSite } from './agent.ts'

type WithSecrets = Pick<
  Agent,
  'id' | 'webhookSecret' | 'previousWebhookSecret' | 'previousWebhookSecretUntil' | 'callbackSecret'
>

/** The secrets that an agent's runs touch, to hide from models and readers. */
export function createKnownSecrets(context: {
  database: Database
  vault: Vault
  goodSecretsOf: (agent: WithSecrets) => string[]
  callbackSecretOf: (agent: WithSecrets) => string | null
}) {
  const { database, vault, goodSecretsOf, callbackSecretOf } = context

  async function secretsOfAgent(id: string): Promise<string[]> {
    const agent = await Agent.query(database)
      .findById(id)
      .select('id', 'webhookSecret', 'previousWebhookSecret', 'previousWebhookSecretUntil', 'callbackSecret')
      .throwIfNotFound()
    const secrets = [...goodSecretsOf(agent), callbackSecretOf(agent) ?? '']
    // The key itself follows the prefix.
    return secrets.flatMap((secret) => [secret, secret.replace(/^whsec_/, '')]).filter((secret) => secret !== '')
  }

  async function ofSites(agentId: string, ownerId: string): Promise<string[]> {
    const choices = await AgentSite.query(database).where({ agentId }).select('vaultEntryId')
    return vault.tokensOf(
      ownerId,
      choices.map(({ vaultEntryId }) => vaultEntryId),
    )
  }

  return {
    /** The agent's webhook and callback secrets, in plain text. */
    secretsOfAgent,

    /** The access tokens of the agent's sites, and its webhook and callback secrets, in plain text. */
    knownSecrets: async (agentId: string, ownerId: string): Promise<string[]> =>
      (await Promise.all([secretsOfAgent(agentId), ofSites(agentId, ownerId)])).flat(),
  }
}
