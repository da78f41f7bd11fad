import * as v from 'valibot'
import { webhookProofs } from '../../src/agents/agent.ts'
import { fieldsOfSchema } from '../../src/webhooks/schema-fields.ts'
import { documentedBy, field, freeObject, named } from './documented.ts'
import { list } from './list.ts'
import { cap } from './usage-schema.ts'
import { name, text, trigger } from './schemas.ts'

/** The descriptions and examples of an agent's fields, for requests and responses. */
export const meanings = {
  name: ['Display name', 'Triage'],
  systemPrompt: [
    'Instructions for the agent, in plain language',
    'File an issue for every post that reports a bug. Look for similar issues first.',
  ],
  cron: ['Cron expression with five fields. Null unless the trigger is `scheduled`.', null],
  timeZone: ['IANA time zone of `cron`. Null unless the trigger is `scheduled`.', null],
  webhookSchema: [
    'Schema that every payload must match, as a list of members. Null means that any payload is accepted.',
    [
      { name: 'title', type: 'string', required: true },
      { name: 'content', type: 'string', required: true },
      { name: 'category', type: 'string', required: false },
    ],
  ],
  allowActionOverride: ["Whether a payload's `action` member replaces the prompt", false],
  callbackUrl: [
    'Public HTTPS URL that the platform calls when a run ends. Null if there is none. The query string is hidden from viewers and from API keys without the `write` scope.',
    'https://hooks.example.com/runs',
  ],
  model: ['Name of the AI model, as listed by `GET /models`. Null means the default model.', null],
  fallbackModel: ['AI model for the rest of a run if `model` keeps failing. Null if there is none.', null],
  outputSchema: [
    'JSON Schema that the answer must match. Null means free text.',
    { type: 'object', properties: { issue: { type: 'integer' } }, required: ['issue'] },
  ],
  summarizes: [
    'Whether a run that outgrows its context window summarizes its first steps. The summary is a billed step.',
    false,
  ],
  creditsPerMonth: ["Credits that the agent's runs can use per calendar month (UTC). Null if there is no limit.", null],
  watchSilence: ['Whether you are notified when the usual deliveries do not come', true],
  sites: [
    'Sites that the agent can use',
    [
      {
        vaultEntryId: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13',
        tools: ['search_issues', 'issues.createIssue'],
        askFirst: ['issues.createIssue'],
      },
    ],
  ],
  vaultEntryId: ['Vault entry of the site', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13'],
  tools: ['Tools that the agent can use at this site. Default: all of them.', ['search_issues', 'issues.createIssue']],
  askFirst: ['Tools whose calls need approval', ['issues.createIssue']],
  fieldName: ['Name of the payload member', 'title'],
  fieldRequired: ['Whether deliveries without this member are rejected', true],
  fieldDescription: ['Meaning of the member, which the model reads', 'Title of the post'],
} as const satisfies Record<string, readonly [string, ...unknown[]]>

export const fieldType = named(
  'WebhookFieldType',
  v.picklist(['string', 'number', 'boolean', 'object', 'array'], 'must be a JSON type'),
  'JSON type',
)
const webhookField = named(
  'WebhookFieldRequest',
  v.strictObject({
    name: field(text(200), ...meanings.fieldName),
    type: fieldType,
    required: v.optional(field(v.boolean('must be true or false'), ...meanings.fieldRequired), true),
    description: v.optional(field(text(1000), ...meanings.fieldDescription)),
  }),
  'Member of the payload',
)
const webhookFields = v.pipe(
  list(webhookField, 100, 'must have at most 100 fields'),
  v.check((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'field names must be unique'),
)
const notFields =
  'must be a list of fields, such as [{"name":"title","type":"string"}]. A JSON Schema is accepted if it has only ' +
  '"type", "properties" and "required", and its properties have only "type" and "description"'

const webhookSchema = documentedBy(
  v.nullable(
    v.pipe(
      v.unknown(),
      v.transform(fieldsOfSchema),
      v.check((fields) => fields !== undefined, notFields),
      webhookFields,
    ),
  ),
  v.nullable(webhookFields),
)
const site = named(
  'AgentSiteRequest',
  v.strictObject({
    vaultEntryId: field(text(64), ...meanings.vaultEntryId),
    tools: v.optional(field(list(text(64), 200), ...meanings.tools)),
    askFirst: v.optional(field(list(text(64), 200), ...meanings.askFirst)),
  }),
  'Site that the agent can use',
)

export const webhookProof = named(
  'WebhookProof',
  v.picklist(webhookProofs, `must be one of ${webhookProofs.join(', ')}`),
  'How senders authenticate. `secret`: with the secret in `X-Webhook-Secret`. Other values: with the method of the sender or standard that the value names.',
)

export const jsonSchema = freeObject('JsonSchema', 'JSON Schema (2020-12)', { type: 'object' })

/** Compiled later, in a worker thread, because users write it. */
const outputSchema = named(
  'JsonSchemaRequest',
  v.pipe(
    jsonSchema,
    v.check((schema) => JSON.stringify(schema).length <= 20_000, 'must have at most 20,000 characters'),
  ),
  'JSON Schema (2020-12), at most 20,000 characters',
)

/** The fields of an agent that its owner can set. */
export const agentFields = {
  name: name(200, ...meanings.name),
  systemPrompt: field(text(20_000), ...meanings.systemPrompt),
  trigger,
  cron: field(v.nullable(text(200)), ...meanings.cron),
  timeZone: field(v.nullable(text(64)), ...meanings.timeZone),
  webhookSchema: field(webhookSchema, ...meanings.webhookSchema),
  webhookProof,
  allowActionOverride: field(v.boolean('must be true or false'), ...meanings.allowActionOverride),
  callbackUrl: field(v.nullable(text(2048)), ...meanings.callbackUrl),
  model: field(v.nullable(text(100)), ...meanings.model),
  fallbackModel: field(v.nullable(text(100)), ...meanings.fallbackModel),
  outputSchema: field(v.nullable(outputSchema), ...meanings.outputSchema),
  summarizes: field(v.boolean('must be true or false'), ...meanings.summarizes),
  creditsPerMonth: field(cap, ...meanings.creditsPerMonth),
  watchSilence: field(v.boolean('must be true or false'), ...meanings.watchSilence),
  sites: field(list(site, 50, 'must list at most 50 sites'), ...meanings.sites),
}
