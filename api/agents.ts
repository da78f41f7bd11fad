import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
import { agent, agentFields, listedAgent, presentAgent } from './agent-schema.ts'
import { route } from './route.ts'
import { presentRun, run } from './run-schema.ts'
import { pageOf, paging, runStatus, trigger } from './schemas.ts'

type Named = { services: Services; caller: { userId: string }; params: { agentId: string } }
const resource = ({ services, caller, params }: Named) => services.agents.get(caller.userId, params.agentId)

const shared = { tag: 'agents', access: 'account', status: 200 } as const

export const createAgent = route({
  ...shared,
  name: 'createAgent',
  method: 'post',
  path: '/agents',
  summary: 'Make an agent',
  body: v.strictObject({
    ...agentFields,
    cron: v.optional(agentFields.cron, null),
    timeZone: v.optional(agentFields.timeZone, null),
    webhookSchema: v.optional(agentFields.webhookSchema, null),
    webhookProof: v.optional(agentFields.webhookProof, 'secret'),
    allowActionOverride: v.optional(agentFields.allowActionOverride, false),
    callbackUrl: v.optional(agentFields.callbackUrl, null),
    sites: v.optional(agentFields.sites, []),
  }),
  status: 201,
  response: agent,
  codes: ['TIER_REQUIRED', 'AGENT_LIMIT_REACHED', 'INVALID_URL'],
  handle: async ({ services, caller, body }) =>
    presentAgent(services, await services.agents.create(caller.userId, body), caller),
})

export const listAgents = route({
  ...shared,
  name: 'listAgents',
  method: 'get',
  path: '/agents',
  summary: 'List agents',
  query: v.strictObject({ ...paging, trigger: v.optional(trigger) }),
  response: pageOf(v.object(listedAgent)),
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
  handle: async ({ services, caller, resource }) => presentAgent(services, resource, caller),
})

export const updateAgent = route({
  ...shared,
  name: 'updateAgent',
  method: 'patch',
  path: '/agents/{agentId}',
  summary: 'Change an agent',
  description:
    'A run that has started keeps the prompt and the schema it was started with. Sites and tools that are taken from the ' +
    'agent are not called any more, not even by such a run.',
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
    sites: v.optional(agentFields.sites),
  }),
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND', 'TIER_REQUIRED', 'INVALID_URL'],
  handle: async ({ services, caller, resource, body }) =>
    presentAgent(services, await services.agents.update(resource, body), caller),
})

export const rotateCallbackSecret = route({
  ...shared,
  name: 'rotateCallbackSecret',
  method: 'post',
  path: '/agents/{agentId}/rotate-callback-secret',
  summary: 'Change the secret that callbacks are signed with',
  description: 'The new one signs from now on, also callbacks that were made before.',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentAgent(services, await services.agents.rotateCallbackSecret(resource), caller),
})

export const deleteAgent = route({
  ...shared,
  name: 'deleteAgent',
  method: 'delete',
  path: '/agents/{agentId}',
  summary: 'Delete an agent',
  description:
    'Its unfinished runs are cancelled: the first hundred before the answer, any others after it. The ' +
    'record of its runs stays.',
  status: 204,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource }) {
    await services.agents.remove(resource)
    await services.runs.ending.cancelSomeOf(resource.id)
  },
})

export const rotateSecret = route({
  ...shared,
  name: 'rotateSecret',
  method: 'post',
  path: '/agents/{agentId}/rotate-secret',
  summary: 'Give an agent another webhook secret',
  description:
    'A new secret, or the one that the sender has made. The former one stays good for `overlapSeconds`, a day unless ' +
    'said otherwise, so that senders can be changed one by one; rotating again ends the one before it at once.',
  body: v.strictObject({
    secret: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.regex(/^[\x21-\x7e]{16,255}$/, 'must be 16 to 255 visible ASCII characters'),
      ),
    ),
    overlapSeconds: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.integer('must be a whole number'),
        v.minValue(0, 'must be at least 0'),
        v.maxValue(604_800, 'must be at most 604800, a week'),
      ),
      86_400,
    ),
  }),
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource, body }) =>
    presentAgent(services, await services.agents.rotateSecret(resource, body), caller),
})

export const pauseAgent = route({
  ...shared,
  name: 'pauseAgent',
  method: 'post',
  path: '/agents/{agentId}/pause',
  summary: 'Pause an agent',
  description:
    'Nothing of it is started, and a run that has begun waits before its next step, for a day at most. Deliveries are ' +
    'accepted and queued; fires of its schedule are skipped.',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, caller, resource }) =>
    presentAgent(services, await services.agents.pause(resource), caller),
})

export const resumeAgent = route({
  ...shared,
  name: 'resumeAgent',
  method: 'post',
  path: '/agents/{agentId}/resume',
  summary: 'Let a paused agent go on',
  response: agent,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, caller, resource }) {
    const resumed = await services.agents.resume(resource)
    await services.runs.reconciler.look(resumed.id)
    return presentAgent(services, resumed, caller)
  },
})

export const startRun = route({
  ...shared,
  name: 'startRun',
  method: 'post',
  path: '/agents/{agentId}/runs',
  summary: 'Run an agent now',
  description:
    'Any agent can be run on demand, whatever its trigger, while it has no unfinished run. With `Idempotency-Key` a ' +
    'repeated request is answered with the run that the first one started, as it is now.',
  headers: { 'Idempotency-Key': 'Names the request: repeating it under the same key starts no second run' },
  status: 202,
  response: run,
  resource,
  codes: ['AGENT_NOT_FOUND', 'AGENT_ALREADY_RUNNING', 'NO_CREDITS'],
  async handle({ services, resource, request }) {
    const asked = { id: request.id, idempotencyKey: idempotencyKeyOf(request.header) }
    return presentRun(await services.runs.accept.startManually(resource, asked))
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
    const page = await services.runs.reading.list(caller.userId, { ...query, agentId: resource.id })
    return { ...page, items: page.items.map(presentRun) }
  },
})
