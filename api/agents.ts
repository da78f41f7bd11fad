import * as v from 'valibot'
import { agentFields } from './schemas/agent-fields.ts'
import { agent, listedAgent, presentAgent, presentAgents } from './schemas/agent-schema.ts'
import { actorOf } from './route/audited.ts'
import { route } from './route/route.ts'
import { field } from './schemas/documented.ts'
import { inWorkspace, pageOf, pagingOfOwner, text, trigger } from './schemas/schemas.ts'
import { agentNamed as resource } from './route/resources.ts'

const shared = { tag: 'agents', access: 'account', status: 200 } as const

export const createAgent = route({
  ...shared,
  name: 'createAgent',
  audit: { subject: 'agent' },
  method: 'post',
  path: '/agents',
  summary: 'Create an agent',
  description:
    'The response for a webhook agent includes its webhook URL and secret. Requires a tier that includes the trigger ' +
    '(`TIER_REQUIRED`). See [Your first agent](/docs/start/first-agent).',
  owner: 'body',
  body: v.strictObject({
    ...inWorkspace,
    ...agentFields,
    cron: v.optional(agentFields.cron, null),
    timeZone: v.optional(agentFields.timeZone, null),
    webhookSchema: v.optional(agentFields.webhookSchema, null),
    webhookProof: v.optional(agentFields.webhookProof, 'secret'),
    allowActionOverride: v.optional(agentFields.allowActionOverride, false),
    callbackUrl: v.optional(agentFields.callbackUrl, null),
    model: v.optional(agentFields.model, null),
    fallbackModel: v.optional(agentFields.fallbackModel, null),
    outputSchema: v.optional(agentFields.outputSchema, null),
    summarizes: v.optional(agentFields.summarizes, false),
    creditsPerMonth: v.optional(agentFields.creditsPerMonth, null),
    watchSilence: v.optional(agentFields.watchSilence, true),
    sites: v.optional(agentFields.sites, []),
  }),
  status: 201,
  response: agent,
  codes: ['TIER_REQUIRED', 'AGENT_LIMIT_REACHED', 'INVALID_URL'],
  handle: async ({ services, caller, request, ownerId, body }) =>
    presentAgent(services, await services.agents.create(ownerId, body, actorOf({ caller, request })), caller),
})

export const listAgents = route({
  ...shared,
  name: 'listAgents',
  method: 'get',
  path: '/agents',
  summary: 'List agents',
  description: 'Newest first, without prompts or secrets.',
  owner: 'query',
  query: v.strictObject({
    ...pagingOfOwner,
    trigger: v.optional(trigger),
    vaultEntryId: v.optional(field(text(64), 'Return only agents that can use this connected site')),
  }),
  response: pageOf(listedAgent),
  async handle({ services, caller, ownerId, query }) {
    const page = await services.agents.list(ownerId, query)
    return { ...page, items: await presentAgents(services, page.items, caller) }
  },
})

export const getAgent = route({
  ...shared,
  name: 'getAgent',
  method: 'get',
  path: '/agents/{agentId}',
  summary: 'Get an agent',
  description:
    "Includes the agent's webhook URL. Secrets are not shown to viewers or to API keys without the `write` scope, because anyone with a secret can start runs.",
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource }) => presentAgent(services, resource, caller),
})

export const updateAgent = route({
  ...shared,
  name: 'updateAgent',
  audit: { subject: 'agent' },
  method: 'patch',
  path: '/agents/{agentId}',
  summary: 'Update an agent',
  description:
    'Changes only the fields you send. A change of a field is a [version](/docs/how-to/agent-versions). A run that has started keeps its prompt, schemas and models. Sites and ' +
    'tools that you remove are no longer called, even by runs in progress.',
  body: v.strictObject({
    name: v.optional(agentFields.name),
    systemPrompt: v.optional(agentFields.systemPrompt),
    trigger: v.optional(trigger),
    cron: v.optional(agentFields.cron),
    timeZone: v.optional(agentFields.timeZone),
    webhookSchema: v.optional(agentFields.webhookSchema),
    webhookProof: v.optional(agentFields.webhookProof),
    allowActionOverride: v.optional(agentFields.allowActionOverride),
    callbackUrl: v.optional(agentFields.callbackUrl),
    model: v.optional(agentFields.model),
    fallbackModel: v.optional(agentFields.fallbackModel),
    outputSchema: v.optional(agentFields.outputSchema),
    summarizes: v.optional(agentFields.summarizes),
    creditsPerMonth: v.optional(agentFields.creditsPerMonth),
    watchSilence: v.optional(agentFields.watchSilence),
    sites: v.optional(agentFields.sites),
  }),
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND', 'TIER_REQUIRED', 'INVALID_URL'],
  handle: async ({ services, caller, request, resource, body }) =>
    presentAgent(services, await services.agents.update(resource, body, actorOf({ caller, request })), caller),
})

export const deleteAgent = route({
  ...shared,
  name: 'deleteAgent',
  audit: { subject: 'agent' },
  whenClosed: true,
  method: 'delete',
  path: '/agents/{agentId}',
  summary: 'Delete an agent',
  description:
    "Cancels the agent's unfinished runs: the first hundred before the response, and the rest afterward. The agent's run history is retained.",
  status: 204,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource }) {
    await services.agents.remove(resource)
    await services.runs.ending.cancelSomeOf(resource.id)
  },
})

export const pauseAgent = route({
  ...shared,
  name: 'pauseAgent',
  audit: { subject: 'agent' },
  method: 'post',
  path: '/agents/{agentId}/pause',
  summary: 'Pause an agent',
  description:
    'No new runs start. Runs already in progress wait before their next step, for up to a day. Deliveries are still accepted and queued, but scheduled runs are skipped.',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentAgent(services, await services.agents.pause(resource), caller),
})

export const resumeAgent = route({
  ...shared,
  name: 'resumeAgent',
  audit: { subject: 'agent' },
  method: 'post',
  path: '/agents/{agentId}/resume',
  summary: 'Resume an agent',
  description:
    "Waiting runs continue, and the queue resumes. Has no effect if the agent is not paused. An agent that was paused because it exceeds the tier's limit resumes automatically when there is room.",
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND', 'AGENT_LIMIT_REACHED'],
  async handle({ services, caller, resource }) {
    const resumed = await services.agents.resume(resource)
    await services.runs.reconciler.reconcileNow(resumed.id)
    return presentAgent(services, resumed, caller)
  },
})
