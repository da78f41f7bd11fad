import type { Database } from '../database/database.ts'
import { selecting } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import type { Vault } from '../vault/vault.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { Agent } from './agent.ts'

export type WithSecrets = Pick<
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

  function secretsIn(agent: WithSecrets): string[] {
    const secrets = [...goodSecretsOf(agent), callbackSecretOf(agent) ?? '']
    // The key itself follows the prefix.
    return secrets.flatMap((secret) => [secret, secret.replace(/^whsec_/, '')]).filter((secret) => secret !== '')
  }

  return {
    /** The agent's webhook and callback secrets, in plain text. */
    secretsIn,

    /** The access tokens of the agent's sites, and its webhook and callback secrets, in plain text. */
    async knownSecrets(agentId: string, ownerId: string): Promise<string[]> {
      const { rows } = await secretsStatement(database, { agentId, ownerId })
      const [agent] = rows
      if (!agent) throw new Error('the agent does not exist')
      const entries = rows.flatMap(({ entryId, ...entry }) => (entryId === null ? [] : [{ ...entry, id: entryId }]))
      return [...secretsIn(agent), ...entries.flatMap((entry) => vault.tokensIn(entry))]
    },
  }
}

/** SQL that selects the sealed secrets of an agent `a`. */
export const selectingSecrets = selecting(
  ['id', 'webhookSecret', 'previousWebhookSecret', 'previousWebhookSecretUntil', 'callbackSecret'],
  'a',
)

type SecretsRow = WithSecrets & { entryId: string | null } & Pick<VaultEntry, 'authType' | 'credential'>

const secretsStatement = statement<SecretsRow>(`
  select ${selectingSecrets}, e.id as "entryId", e.auth_type as "authType", e.credential
    from agents a
    left join agent_sites s on s.agent_id = a.id
    left join vault_entries e on e.id = s.vault_entry_id and e.owner_id = :ownerId
   where a.id = :agentId`)
