import * as v from 'valibot'
import type { Agent } from '../src/agents/agent.ts'
import type { Receipt } from '../src/runs/accept/receipt.ts'
import type { Services } from '../src/services.ts'
import { presets } from '../src/webhooks/presets.ts'
import type { InboundRequest } from '../src/webhooks/webhooks.ts'
import type { Proof, ProofInput } from './route/proof.ts'
import { inPlace, route } from './route/route.ts'
import { id, runStatus } from './schemas/schemas.ts'

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

/** How senders of webhooks prove themselves; which of it an agent takes, its `webhookProof` says. */
const schemes = {
  webhookSecret: { type: 'apiKey', in: 'header', name: presets.secret.header },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: presets['standard-webhooks'].header,
    description: 'A Standard Webhooks signature, or that of another sender: as the agent’s `webhookProof` says',
  },
}

const webhookPath = '/api/webhooks/agent/{agentId}'
const deliveryPath = `${webhookPath}/runs/{runId}` as const

const inboundRequest = ({ params, request, readBody }: ProofInput<typeof webhookPath>): InboundRequest => ({
  agentId: params.agentId,
  header: request.header,
  readBody,
  address: request.address,
})

const shared = { tag: 'webhooks', access: 'anyone' } as const

export const receiveWebhook = route({
  ...shared,
  name: 'receiveWebhook',
  method: 'post',
  path: webhookPath,
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
  proof: {
    schemes,
    codes: ['AGENT_NOT_FOUND', 'WEBHOOK_SECRET_INVALID', 'TIER_REQUIRED', 'SUBSCRIPTION_PAST_DUE', 'RATE_LIMITED'],
    verify: (given) => given.services.webhooks.admit(inboundRequest(given)),
  },
  codes: ['WEBHOOK_PAYLOAD_INVALID', 'NO_CREDITS'],
  async handle({ services, proven: { agent, standing }, raw, request }) {
    const delivery = { body: raw, header: request.header, requestId: request.id }
    const outcome = await services.webhooks.receive({ agent, standing }, delivery)
    return 'challenge' in outcome ? inPlace(200, outcome) : present(services, agent.id, outcome)
  },
})

const ofSender = { ...shared, path: deliveryPath, status: 200, response: receipt } as const

/** There is no body that would say what is asked for, so a signature names the purpose, and is good for no other. */
const proofFor = (purpose: 'get' | 'delete'): Proof<typeof deliveryPath, Agent> => ({
  schemes,
  codes: ['AGENT_NOT_FOUND', 'WEBHOOK_SECRET_INVALID', 'RATE_LIMITED'],
  verify: (given) => given.services.webhooks.verifySender(inboundRequest(given), `${purpose}-${given.params.runId}`),
})

export const getDelivery = route({
  ...ofSender,
  name: 'getDelivery',
  method: 'get',
  summary: 'The receipt of a delivery as it stands now, for its sender',
  description:
    "Needs the agent's secret in `X-Webhook-Secret`, whatever proof its deliveries have; an agent that takes Standard " +
    'Webhooks takes a signature over an empty body in its place, with the `webhook-id` `get-<run id>`.',
  proof: proofFor('get'),
  codes: ['RUN_NOT_FOUND'],
  handle: async ({ services, proven: agent, params }) =>
    present(services, agent.id, await services.runs.reading.receipt(agent.id, params.runId)),
})

export const withdrawDelivery = route({
  ...ofSender,
  name: 'withdrawDelivery',
  method: 'delete',
  summary: 'Take back a delivery that is still queued, for its sender',
  description:
    'Proven as reading its receipt is, a signature with the `webhook-id` `delete-<run id>`. What has been started can only be cancelled by the owner of the agent.',
  proof: proofFor('delete'),
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  handle: async ({ services, proven: agent, params }) =>
    present(services, agent.id, await services.webhooks.withdraw(agent.id, params.runId)),
})
