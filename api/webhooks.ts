import * as v from 'valibot'
import type { Receipt } from '../src/runs/accept/receipt.ts'
import type { Services } from '../src/services.ts'
import { inPlace, route, type RequestFacts } from './route.ts'
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

type Asked = { params: { agentId: string }; request: RequestFacts; readRaw: () => Promise<Buffer> }
const knock = ({ params, request, readRaw }: Asked) => ({
  agentId: params.agentId,
  header: request.header,
  readBody: readRaw,
  address: request.address,
})

const shared = { tag: 'webhooks', access: 'anyone' } as const

export const receiveWebhook = route({
  ...shared,
  name: 'receiveWebhook',
  method: 'post',
  path: '/api/webhooks/agent/{agentId}',
  summary: 'Start a run of a webhook-triggered agent',
  description:
    'Send the secret in `X-Webhook-Secret`, or whatever else the agent takes as proof (`webhookProof`), and any JSON ' +
    'object as the body. Deliveries of one agent are processed one at a time in order of arrival. With ' +
    '`Idempotency-Key` (or `webhook-id`) a repeated delivery gets the receipt of the first; deliveries of known senders ' +
    '(GitHub, GitLab, Stripe, Shopify, Slack) are told apart by the identity that these give them.',
  headers: {
    'Idempotency-Key': 'Names the delivery: repeating it under the same key starts no second run',
    'webhook-id': 'The same, under the name that Standard Webhooks gives it; `Idempotency-Key` goes before it',
    'webhook-timestamp': 'With `webhook-signature`: seconds since 1970, at most five minutes away from the time here',
  },
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes },
  status: 202,
  response: receipt,
  alternatives: {
    200: {
      description: "The answer to Slack's question whether the address is right; no run is started.",
      response: v.object({ challenge: v.string() }),
    },
  },
  codes: [
    'AGENT_NOT_FOUND',
    'WEBHOOK_SECRET_INVALID',
    'TIER_REQUIRED',
    'SUBSCRIPTION_PAST_DUE',
    'RATE_LIMITED',
    'WEBHOOK_PAYLOAD_INVALID',
    'NO_CREDITS',
  ],
  resource: (asked) => asked.services.webhooks.admit(knock(asked)),
  async handle({ services, resource, raw, request }) {
    const delivery = { body: raw, header: request.header, requestId: request.id }
    const outcome = await services.webhooks.receive(resource, delivery)
    return 'challenge' in outcome ? inPlace(200, outcome) : present(services, resource.agent.id, outcome)
  },
})

const ofSender = {
  ...shared,
  path: '/api/webhooks/agent/{agentId}/runs/{runId}',
  status: 200,
  response: receipt,
} as const
const ofSenderCodes = ['AGENT_NOT_FOUND', 'WEBHOOK_SECRET_INVALID', 'RATE_LIMITED', 'RUN_NOT_FOUND'] as const

export const getDelivery = route({
  ...ofSender,
  name: 'getDelivery',
  method: 'get',
  summary: 'The receipt of a delivery as it stands now, for its sender',
  description:
    "Needs the agent's secret in `X-Webhook-Secret`, whatever proof its deliveries have; an agent that takes Standard " +
    'Webhooks takes a signature over an empty body in its place, with the `webhook-id` `get-<run id>`.',
  codes: ofSenderCodes,
  resource: (asked) => asked.services.webhooks.proveAsking(knock(asked), `get-${asked.params.runId}`),
  handle: async ({ services, resource, params }) =>
    present(services, resource.id, await services.runs.reading.receipt(resource.id, params.runId)),
})

export const withdrawDelivery = route({
  ...ofSender,
  name: 'withdrawDelivery',
  method: 'delete',
  summary: 'Take back a delivery that is still queued, for its sender',
  description:
    'Proven as reading its receipt is, a signature with the `webhook-id` `delete-<run id>`. What has been started can only be cancelled by the owner of the agent.',
  codes: [...ofSenderCodes, 'RUN_NOT_CANCELLABLE'],
  resource: (asked) => asked.services.webhooks.proveAsking(knock(asked), `delete-${asked.params.runId}`),
  handle: async ({ services, resource, params }) =>
    present(services, resource.id, await services.webhooks.withdraw(resource.id, params.runId)),
})
