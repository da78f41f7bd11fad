import * as v from 'valibot'
import { webhookProofs, type AgentWithSites } from '../../src/agents/agent.ts'
import { fieldsOf } from '../../src/database/row.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import { id, name, text, time, trigger } from './schemas.ts'

const fieldType = v.picklist(['string', 'number', 'boolean', 'object', 'array'], 'must be a JSON type')
const webhookField = v.strictObject({
  name: name(200),
  type: fieldType,
  required: v.optional(v.boolean('must be true or false'), true),
  description: v.optional(text(1000)),
})
const webhookSchema = v.nullable(
  v.pipe(
    v.array(webhookField, 'must be a list of fields'),
    v.maxLength(100, 'must have at most 100 fields'),
    v.check((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'field names must differ'),
  ),
)
const sites = v.pipe(
  v.array(
    v.strictObject({ vaultEntryId: text(64), tools: v.optional(v.pipe(v.array(text(64)), v.maxLength(200))) }),
    'must be a list',
  ),
  v.maxLength(50, 'must name at most 50 sites'),
)

/** What an owner may set on an agent. */
export const agentFields = {
  name: name(200),
  systemPrompt: text(20_000),
  trigger,
  cron: v.nullable(text(200)),
  timeZone: v.nullable(text(64)),
  webhookSchema,
  webhookProof: v.picklist(webhookProofs, `must be one of ${webhookProofs.join(', ')}`),
  allowActionOverride: v.boolean('must be true or false'),
  callbackUrl: v.pipe(
    v.nullable(text(2048)),
    v.metadata({ description: 'Where the endings of its runs are posted: https, on the public internet' }),
  ),
  sites,
}

export const listedAgent = {
  id,
  name: v.string(),
  trigger,
  pausedAt: v.pipe(v.nullable(time), v.metadata({ description: 'Since when it is paused' })),
  createdAt: time,
  updatedAt: time,
}
export const agent = v.object({
  ...listedAgent,
  systemPrompt: v.string(),
  cron: v.nullable(v.string()),
  timeZone: v.nullable(v.string()),
  sites: v.array(v.object({ vaultEntryId: id, tools: v.nullable(v.array(v.string())) })),
  webhookUrl: v.nullable(v.string()),
  webhookSecret: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: 'Also null for API keys without the scope `write`' }),
  ),
  previousWebhookSecretUntil: v.pipe(
    v.nullable(time),
    v.metadata({ description: 'Until when the secret before the last rotation is also valid' }),
  ),
  webhookProof: v.pipe(
    v.picklist(webhookProofs),
    v.metadata({ description: 'How senders prove themselves; see the guide, "Senders"' }),
  ),
  webhookSchema: v.nullable(
    v.array(
      v.object({ name: v.string(), type: fieldType, required: v.boolean(), description: v.optional(v.string()) }),
    ),
  ),
  allowActionOverride: v.boolean(),
  callbackUrl: v.nullable(v.string()),
  callbackSecret: v.pipe(
    v.nullable(v.string()),
    v.metadata({
      description:
        'The secret that signs callbacks (Standard Webhooks); null without `callbackUrl`, and for API keys without the scope `write`',
    }),
  ),
})

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
