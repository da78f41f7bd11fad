import * as v from 'valibot'
import type { AgentWithSites } from '../../src/agents/agent.ts'
import { fieldsOf } from '../../src/database/row.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import { fieldType, meanings, webhookProof } from './agent-fields.ts'
import { field, named } from './documented.ts'
import { id, time, trigger } from './schemas.ts'

const listed = {
  id,
  name: field(v.string(), ...meanings.name),
  trigger,
  pausedAt: field(v.nullable(time), 'Since when it is paused', null),
  createdAt: time,
  updatedAt: time,
}

export const listedAgent = named('AgentSummary', v.object(listed), 'An agent in a list')

const site = named(
  'AgentSite',
  v.object({
    vaultEntryId: field(id, ...meanings.vaultEntryId),
    tools: field(v.nullable(v.array(v.string())), 'The tools that it may use there; null for all', ['search_issues']),
  }),
  'A site that an agent may use',
)

export const webhookField = named(
  'WebhookField',
  v.object({
    name: field(v.string(), ...meanings.fieldName),
    type: fieldType,
    required: field(v.boolean(), ...meanings.fieldRequired),
    description: v.optional(field(v.string(), ...meanings.fieldDescription)),
  }),
  'A member that payloads have',
)

export const agent = named(
  'Agent',
  v.object({
    ...listed,
    systemPrompt: field(v.string(), ...meanings.systemPrompt),
    cron: field(v.nullable(v.string()), ...meanings.cron),
    timeZone: field(v.nullable(v.string()), ...meanings.timeZone),
    sites: field(v.array(site), ...meanings.sites),
    webhookUrl: field(
      v.nullable(v.string()),
      'Where senders post deliveries; null unless webhooks start it',
      'https://switchyard.example.com/api/webhooks/agent/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10',
    ),
    webhookSecret: field(
      v.nullable(v.string()),
      'What senders prove themselves with. Also null for API keys without the scope `write`',
      'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxl',
    ),
    previousWebhookSecretUntil: field(
      v.nullable(time),
      'Until when the secret before the last rotation is also valid',
      null,
    ),
    webhookProof,
    webhookSchema: field(v.nullable(v.array(webhookField)), ...meanings.webhookSchema),
    allowActionOverride: field(v.boolean(), ...meanings.allowActionOverride),
    callbackUrl: field(v.nullable(v.string()), ...meanings.callbackUrl),
    callbackSecret: field(
      v.nullable(v.string()),
      'The secret that signs callbacks (Standard Webhooks); null without `callbackUrl`, and for API keys without the scope `write`',
      'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxl',
    ),
  }),
  'A prompt, the sites that it may use, and what starts its runs',
)

/**
 * Webhook-triggered agents have a webhook URL and secret (docs/specification.md, "Agent"), agents with callbacks a
 * callback secret. Secrets need the scope `write`, because they can start runs.
 */
export function presentAgent(services: Services, row: AgentWithSites, { scopes }: Pick<Caller, 'scopes'>) {
  const webhook = row.trigger === 'webhook'
  const mayWrite = scopes.includes('write')
  return {
    ...fieldsOf(row),
    webhookUrl: webhook ? `${services.config.http.baseUrl}/api/webhooks/agent/${row.id}` : null,
    webhookSecret: webhook && mayWrite ? services.agents.secretOf(row) : null,
    previousWebhookSecretUntil: webhook ? services.agents.previousUntil(row) : null,
    callbackSecret: row.callbackUrl !== null && mayWrite ? services.agents.callbackSecretOf(row) : null,
  }
}
