import * as v from 'valibot'
import type { Receipt } from '../src/runs/receipt.ts'
import type { Services } from '../src/services.ts'
import { idempotencyKeyOf } from '../src/webhooks/webhooks.ts'
import { route, type RequestFacts } from './route.ts'
import { id, runStatus } from './schemas.ts'

const receipt = v.object({
  runId: id,
  status: runStatus,
  sequence: v.pipe(v.number(), v.metadata({ description: "Position in the agent's order of arrival, from 1" })),
  ahead: v.pipe(v.number(), v.metadata({ description: 'Unfinished runs in front of this one' })),
  statusUrl: v.string(),
})

const present = (services: Services, agentId: string, given: Receipt) => ({
  ...given,
  statusUrl: `${services.config.http.baseUrl}/api/webhooks/agent/${agentId}/runs/${given.runId}`,
})

const knock = (agentId: string, { header, address }: RequestFacts) => ({
  agentId,
  secret: header('x-webhook-secret'),
  address,
})

const shared = { tag: 'webhooks', access: 'anyone' } as const

export const receiveWebhook = route({
  ...shared,
  name: 'receiveWebhook',
  method: 'post',
  path: '/api/webhooks/agent/{agentId}',
  summary: 'Start a run of a webhook-triggered agent',
  description:
    'Send the secret in `X-Webhook-Secret`, and any JSON object as the body. Deliveries of one agent are processed one at ' +
    'a time in order of arrival. With `Idempotency-Key` (or `webhook-id`) a repeated delivery gets the receipt of the first.',
  headers: {
    'Idempotency-Key': 'Names the delivery: repeating it under the same key starts no second run',
    'webhook-id': 'The same, under the name that Standard Webhooks gives it; `Idempotency-Key` goes before it',
  },
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes },
  status: 202,
  response: receipt,
  codes: [
    'AGENT_NOT_FOUND',
    'WEBHOOK_SECRET_INVALID',
    'TIER_REQUIRED',
    'SUBSCRIPTION_PAST_DUE',
    'RATE_LIMITED',
    'WEBHOOK_PAYLOAD_INVALID',
    'NO_CREDITS',
  ],
  resource: ({ services, params, request }) => services.webhooks.admit(knock(params.agentId, request)),
  async handle({ services, resource, raw, request }) {
    const idempotencyKey = idempotencyKeyOf(request.header)
    const delivery = { body: raw, idempotencyKey, requestId: request.id }
    return present(services, resource.agent.id, await services.webhooks.receive(resource, delivery))
  },
})

export const getDelivery = route({
  ...shared,
  name: 'getDelivery',
  method: 'get',
  path: '/api/webhooks/agent/{agentId}/runs/{runId}',
  summary: 'The receipt of a delivery as it stands now, for its sender',
  description: 'Needs the same `X-Webhook-Secret`.',
  status: 200,
  response: receipt,
  codes: ['AGENT_NOT_FOUND', 'WEBHOOK_SECRET_INVALID', 'RATE_LIMITED', 'RUN_NOT_FOUND'],
  resource: ({ services, params, request }) => services.webhooks.prove(knock(params.agentId, request)),
  handle: async ({ services, resource, params }) =>
    present(services, resource.id, await services.runs.receipt(resource.id, params.runId)),
})
