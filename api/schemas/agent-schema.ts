import * as v from 'valibot'
import { pauseReasons, type Agent, type AgentWithSites } from '../../src/agents/agent.ts'
import { fieldsOf } from '../../src/database/row.ts'
import { shownUrl } from '../../src/safe-fetch/shown-url.ts'
import { nextFireOf } from '../../src/schedules/next-fire.ts'
import type { Services } from '../../src/services.ts'
import { mayDo } from '../../src/owners/reach.ts'
import type { Caller } from '../../src/users/caller.ts'
import { fieldType, jsonSchema, meanings, webhookProof } from './agent-fields.ts'
import { field, named, whole } from './documented.ts'
import { exampleIds, idOf } from './example-ids.ts'
import { usage } from './usage-schema.ts'
import { createdAt, id, ownerId, runStatus, time, trigger, updatedAt } from './schemas.ts'

const lastRun = named(
  'LastRun',
  v.object({ id: idOf('run'), status: runStatus, acceptedAt: field(time, 'When the run was accepted') }),
  'Latest run of an agent',
)

const listed = {
  id,
  ownerId,
  name: field(v.string(), ...meanings.name),
  trigger,
  pausedAt: field(v.nullable(time), 'When the agent was paused. Null if it is active.', null),
  pausedReason: field(
    v.nullable(named('PauseReason', v.picklist(pauseReasons), 'Why the platform pauses an agent')),
    'Why the platform paused the agent. `MODEL_UNAVAILABLE`: its AI model was unavailable for longer than a run can wait. `RESTORED`: the database was restored from a backup while the agent had unfinished runs; check what they have done before you resume it. Null if the platform did not pause the agent.',
    null,
  ),
  cron: field(v.nullable(v.string()), ...meanings.cron),
  timeZone: field(v.nullable(v.string()), ...meanings.timeZone),
  nextFireAt: field(
    v.nullable(time),
    'Next scheduled time, or null if there is no schedule. While the agent is paused, scheduled runs are skipped.',
    null,
  ),
  webhookUrl: field(
    v.nullable(v.string()),
    'URL for deliveries. Null unless the trigger is `webhook`.',
    'https://switchyard.example.com/api/webhooks/agent/0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10',
  ),
  webhookProof,
  callbackUrl: field(v.nullable(v.string()), ...meanings.callbackUrl),
  model: field(v.nullable(v.string()), ...meanings.model),
  fallbackModel: field(v.nullable(v.string()), ...meanings.fallbackModel),
  summarizes: field(v.boolean(), ...meanings.summarizes),
  creditsPerMonth: field(v.nullable(v.number()), ...meanings.creditsPerMonth),
  watchSilence: field(v.boolean(), ...meanings.watchSilence),
  silentSince: field(
    v.nullable(time),
    'Time of the last delivery, if the usual deliveries do not come. Null otherwise, and if `watchSilence` is false.',
    null,
  ),
  lastRun: field(v.nullable(lastRun), 'Latest accepted run. Null if there is none, or if it has been deleted.', null),
  version: field(whole, 'Number of the latest version: 1 for a new agent, and one more after each change', 7),
  createdBy: field(v.nullable(v.string()), 'User who created the agent. Null if unknown.', exampleIds.user),
  createdAt,
  updatedAt,
}

export const listedAgent = named('AgentSummary', v.object(listed), 'Agent in a list')

export const site = named(
  'AgentSite',
  v.object({
    vaultEntryId: field(v.string(), ...meanings.vaultEntryId),
    tools: field(
      v.nullable(v.array(v.string())),
      'Tools that the agent can use at this site. Null means all of them.',
      ['search_issues'],
    ),
    askFirst: field(v.array(v.string()), ...meanings.askFirst),
  }),
  'Site that an agent can use',
)

export const webhookField = named(
  'WebhookField',
  v.object({
    name: field(v.string(), ...meanings.fieldName),
    type: fieldType,
    required: field(v.boolean(), ...meanings.fieldRequired),
    description: v.optional(field(v.string(), ...meanings.fieldDescription)),
  }),
  'Member of the payload',
)

export const agent = named(
  'Agent',
  v.object({
    ...listed,
    systemPrompt: field(v.string(), ...meanings.systemPrompt),
    outputSchema: field(v.nullable(jsonSchema), ...meanings.outputSchema),
    sites: field(v.array(site), ...meanings.sites),
    usage,
    webhookSecret: field(
      v.nullable(v.string()),
      'Secret that authenticates senders. Null if the trigger is not `webhook`. Also null for viewers and for API keys without the `write` scope.',
      'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxl',
    ),
    previousWebhookSecretUntil: field(
      v.nullable(time),
      'When the previous secret expires. Null if no previous secret is valid.',
      null,
    ),
    webhookSchema: field(v.nullable(v.array(webhookField)), ...meanings.webhookSchema),
    allowActionOverride: field(v.boolean(), ...meanings.allowActionOverride),
    callbackSecret: field(
      v.nullable(v.string()),
      'Secret that signs callbacks (Standard Webhooks). Null if there is no `callbackUrl`. Also null for viewers and for API keys without the `write` scope.',
      'whsec_bm90IGEgc2VjcmV0LCBhbiBleGFtcGxl',
    ),
  }),
  'Agent: a prompt, a trigger, and the sites that the agent can use',
)

/** Agents as lists show them. Webhook-triggered ones have a webhook URL (docs/specification.md, "Agent"). */
export async function presentAgents(services: Services, rows: readonly Agent[], caller: Reader) {
  const now = services.clock.now()
  const ids = rows.map((row) => row.id)
  const [lastRuns, silent] = await Promise.all([services.runs.reading.lastOf(ids), services.silence.of(ids)])
  return rows.map((row) => ({
    ...fieldsOf(row),
    nextFireAt: row.trigger === 'scheduled' ? nextFireOf(row, now) : null,
    webhookUrl: row.trigger === 'webhook' ? `${services.config.http.baseUrl}/api/webhooks/agent/${row.id}` : null,
    lastRun: lastRuns.get(row.id) ?? null,
    silentSince: silent.get(row.id) ?? null,
    callbackUrl: row.callbackUrl === null || maySeeSecrets(caller, row) ? row.callbackUrl : shownUrl(row.callbackUrl),
  }))
}

type Reader = Pick<Caller, 'scopes' | 'reach'>

/** Secrets need the scope `write` and a role that may build, because they can start runs. */
export const maySeeSecrets = ({ scopes, reach }: Reader, { ownerId }: { ownerId: string }): boolean =>
  scopes.includes('write') && mayDo(reach, ownerId, 'build')

/** Webhook-triggered agents have a webhook secret, agents with callbacks a callback secret. */
export async function presentAgent(services: Services, row: AgentWithSites, caller: Reader) {
  const [listed] = await presentAgents(services, [row], caller)
  const webhook = row.trigger === 'webhook'
  const mayWrite = maySeeSecrets(caller, row)
  return {
    ...listed,
    sites: row.sites,
    usage: await services.billing.usage.of('agents', row.id),
    webhookSecret: webhook && mayWrite ? services.agents.secretOf(row) : null,
    previousWebhookSecretUntil: webhook ? services.agents.previousUntil(row) : null,
    callbackSecret: row.callbackUrl !== null && mayWrite ? services.agents.callbackSecretOf(row) : null,
  }
}
