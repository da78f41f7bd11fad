import * as v from 'valibot'
import { fieldsOf } from '../src/row.ts'
import type { Services } from '../src/services.ts'
import type { Agent } from '../src/agents/agent.ts'
import type { AgentFields, AgentWithSites } from '../src/agents/agents.ts'
import { route } from './route.ts'
import { presentRun, run } from './run-schema.ts'
import { id, pageOf, paging, runStatus, text, time, trigger } from './schemas.ts'

const fieldType = v.picklist(['string', 'number', 'boolean', 'object', 'array'], 'must be a type of JSON')
const webhookField = v.strictObject({
  name: text(200),
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

/** What an owner may say of an agent; each with what it is unless said. */
const fields = {
  name: text(200),
  systemPrompt: text(20_000),
  trigger,
  cron: v.nullable(text(200)),
  timeZone: v.nullable(text(64)),
  webhookSchema,
  allowActionOverride: v.boolean('must be true or false'),
  sites,
}

const listed = {
  id,
  name: v.string(),
  trigger,
  createdAt: time,
  updatedAt: time,
}
const agent = v.object({
  ...listed,
  systemPrompt: v.string(),
  cron: v.nullable(v.string()),
  timeZone: v.nullable(v.string()),
  sites: v.array(v.object({ vaultEntryId: id, tools: v.nullable(v.array(v.string())) })),
  webhookUrl: v.nullable(v.string()),
  webhookSecret: v.nullable(v.string()),
  webhookSchema: v.nullable(
    v.array(
      v.object({ name: v.string(), type: fieldType, required: v.boolean(), description: v.optional(v.string()) }),
    ),
  ),
  allowActionOverride: v.boolean(),
})

/** URL and secret are shown of agents that are triggered by webhooks (specification, "Agent"). */
function present(services: Services, row: AgentWithSites) {
  const webhook = row.trigger === 'webhook'
  return {
    ...fieldsOf(row),
    webhookUrl: webhook ? `${services.config.http.baseUrl}/api/webhooks/agent/${row.id}` : null,
    webhookSecret: webhook ? services.agents.secretOf(row) : null,
  }
}

type Named = { services: Services; caller: { userId: string }; params: { agentId: string } }
const resource = ({ services, caller, params }: Named) => services.agents.get(caller.userId, params.agentId)

async function assertAllowed(services: Services, ownerId: string, kind: Agent['trigger']) {
  const account = await services.billing.account(ownerId)
  if (kind === 'webhook') services.billing.requireFeature(account, 'webhooks')
  return account
}

const shared = { tag: 'agents', access: 'account', status: 200 } as const

export const createAgent = route({
  ...shared,
  name: 'createAgent',
  method: 'post',
  path: '/agents',
  summary: 'Make an agent',
  body: v.strictObject({
    ...fields,
    cron: v.optional(fields.cron, null),
    timeZone: v.optional(fields.timeZone, null),
    webhookSchema: v.optional(webhookSchema, null),
    allowActionOverride: v.optional(fields.allowActionOverride, false),
    sites: v.optional(sites, []),
  }),
  status: 201,
  response: agent,
  codes: ['TIER_REQUIRED', 'AGENT_LIMIT_REACHED'],
  async handle({ services, caller, body }) {
    services.agents.assertTrigger(body)
    const { limits } = await assertAllowed(services, caller.userId, body.trigger)
    return present(services, await services.agents.create(caller.userId, body, limits.agents))
  },
})

export const listAgents = route({
  ...shared,
  name: 'listAgents',
  method: 'get',
  path: '/agents',
  summary: 'List agents',
  query: v.strictObject({ ...paging, trigger: v.optional(trigger) }),
  response: pageOf(v.object(listed)),
  handle: ({ services, caller, query }) => services.agents.list(caller.userId, query),
})

export const getAgent = route({
  ...shared,
  name: 'getAgent',
  method: 'get',
  path: '/agents/{agentId}',
  summary: 'One agent, with its webhook URL and secret',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, resource }) => present(services, resource),
})

export const updateAgent = route({
  ...shared,
  name: 'updateAgent',
  method: 'patch',
  path: '/agents/{agentId}',
  summary: 'Change an agent',
  description: 'A run that has started keeps the prompt and the schema it was started with.',
  body: v.strictObject({
    name: v.optional(fields.name),
    systemPrompt: v.optional(fields.systemPrompt),
    trigger: v.optional(trigger),
    cron: v.optional(fields.cron),
    timeZone: v.optional(fields.timeZone),
    webhookSchema: v.optional(webhookSchema),
    allowActionOverride: v.optional(fields.allowActionOverride),
    sites: v.optional(sites),
  }),
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND', 'TIER_REQUIRED'],
  async handle({ services, caller, resource, body }) {
    const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    const wanted = { ...fieldsOf(resource), ...changes } as AgentFields
    services.agents.assertTrigger(wanted)
    if (wanted.trigger !== resource.trigger) await assertAllowed(services, caller.userId, wanted.trigger)
    return present(services, await services.agents.update(resource, changes as Partial<AgentFields>))
  },
})

export const deleteAgent = route({
  ...shared,
  name: 'deleteAgent',
  method: 'delete',
  path: '/agents/{agentId}',
  summary: 'Delete an agent',
  description: 'Its unfinished runs are cancelled; the record of its runs stays.',
  status: 204,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource }) {
    await services.agents.remove(resource)
    await services.runs.cancelAllOf(resource.id)
  },
})

export const startRun = route({
  ...shared,
  name: 'startRun',
  method: 'post',
  path: '/agents/{agentId}/runs',
  summary: 'Run an agent now',
  description: 'Any agent can be run on demand, whatever its trigger, while it has no unfinished run.',
  status: 202,
  response: run,
  resource,
  codes: ['AGENT_NOT_FOUND', 'AGENT_ALREADY_RUNNING', 'NO_CREDITS'],
  async handle({ services, caller, resource, request }) {
    services.runs.assertIdle(await services.runs.depth(resource.id))
    services.billing.requireCredits(await services.billing.account(caller.userId))
    const { runId } = await services.runs.accept({
      agentId: resource.id,
      trigger: 'manual',
      requestId: request.id,
      onlyIfIdle: true,
    })
    return presentRun(await services.runs.get(caller.userId, runId))
  },
})

export const listAgentRuns = route({
  ...shared,
  name: 'listAgentRuns',
  method: 'get',
  path: '/agents/{agentId}/runs',
  summary: 'List the runs of an agent, newest first',
  query: v.strictObject({ ...paging, status: v.optional(runStatus), trigger: v.optional(trigger) }),
  response: pageOf(run),
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, caller, resource, query }) {
    const page = await services.runs.list(caller.userId, { ...query, agentId: resource.id })
    return { ...page, items: page.items.map(presentRun) }
  },
})
