import * as v from 'valibot'
import { webhookProofs } from '../../src/agents/agent.ts'
import { field, freeObject, named } from './documented.ts'
import { list } from './list.ts'
import { cap } from './usage-schema.ts'
import { name, text, trigger } from './schemas.ts'

/** What is said of the fields of an agent, in requests and in responses. */
export const meanings = {
  name: ['What people call it', 'Triage'],
  systemPrompt: [
    'What it has to do, in plain words',
    'File an issue for every post that reports a bug. Look for similar issues first.',
  ],
  cron: ['For `scheduled`: five fields of cron; null for other agents', null],
  timeZone: ['For `scheduled`: the IANA time zone of `cron`; null for other agents', null],
  webhookSchema: [
    'The members that each payload is checked for; null for any payload',
    [{ name: 'title', type: 'string', required: true, description: 'The title of the post' }],
  ],
  allowActionOverride: ["Whether a payload's `action` replaces the prompt", false],
  callbackUrl: [
    'Where the endings of its runs are posted: https, on the public internet; null for nowhere. Its query is hidden from viewers and from API keys without the scope `write`',
    'https://hooks.example.com/runs',
  ],
  model: ['The AI model that is asked, by its name in `GET /models`; null for the default one', null],
  fallbackModel: ['The model that is asked for the rest of a run once `model` keeps failing; null for none', null],
  outputSchema: [
    'The JSON Schema that its answers have to fit; null for any text',
    { type: 'object', properties: { issue: { type: 'integer' } }, required: ['issue'] },
  ],
  summarizes: [
    'Whether the first steps of a run that has become too long for its model are summarised, in a step that is charged',
    false,
  ],
  creditsPerMonth: ['How many credits its runs may use in a calendar month (UTC); null for as many as there are', null],
  sites: [
    'The sites that it may use',
    [
      {
        vaultEntryId: '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13',
        tools: ['search_issues', 'issues.createIssue'],
        askFirst: ['issues.createIssue'],
      },
    ],
  ],
  vaultEntryId: ['The vault entry of the site', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13'],
  tools: ['The tools that it may use there; by default all', ['search_issues', 'issues.createIssue']],
  askFirst: ['The tools there that are called only once you have approved the call', ['issues.createIssue']],
  fieldName: ['The name of the member in the payload', 'title'],
  fieldRequired: ['Whether deliveries without it are refused', true],
  fieldDescription: ['What it means; the agent is told', 'The title of the post'],
} as const satisfies Record<string, readonly [string, ...unknown[]]>

export const fieldType = named(
  'WebhookFieldType',
  v.picklist(['string', 'number', 'boolean', 'object', 'array'], 'must be a JSON type'),
  'A JSON type',
)
const webhookField = named(
  'WebhookFieldRequest',
  v.strictObject({
    name: field(text(200), ...meanings.fieldName),
    type: fieldType,
    required: v.optional(field(v.boolean('must be true or false'), ...meanings.fieldRequired), true),
    description: v.optional(field(text(1000), ...meanings.fieldDescription)),
  }),
  'A member that payloads have',
)
const webhookSchema = v.nullable(
  v.pipe(
    list(webhookField, 100, 'must have at most 100 fields'),
    v.check((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, 'field names must be unique'),
  ),
)
const site = named(
  'AgentSiteRequest',
  v.strictObject({
    vaultEntryId: field(text(64), ...meanings.vaultEntryId),
    tools: v.optional(field(list(text(64), 200), ...meanings.tools)),
    askFirst: v.optional(field(list(text(64), 200), ...meanings.askFirst)),
  }),
  'A site that the agent may use',
)

export const webhookProof = named(
  'WebhookProof',
  v.picklist(webhookProofs, `must be one of ${webhookProofs.join(', ')}`),
  'How senders prove themselves; see the guide, "Senders"',
)

export const jsonSchema = freeObject('JsonSchema', 'A JSON Schema (2020-12)', { type: 'object' })

/** What it says is checked later, in a thread: an owner writes it. */
const outputSchema = named(
  'JsonSchemaRequest',
  v.pipe(
    jsonSchema,
    v.check((schema) => JSON.stringify(schema).length <= 20_000, 'must have at most 20,000 characters'),
  ),
  'A JSON Schema (2020-12) of at most 20,000 characters',
)

/** What an owner may set on an agent. */
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
  sites: field(list(site, 50, 'must name at most 50 sites'), ...meanings.sites),
}
