import * as v from 'valibot'
import type { Agent } from '../src/agents/agent.ts'
import { presets } from '../src/webhooks/presets.ts'
import type { InboundRequest } from '../src/webhooks/webhooks.ts'
import { deliver } from './deliver.ts'
import { presentReceipt } from './present-receipt.ts'
import type { Proof, ProofInput } from './route/proof.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { payload } from './schemas/event-schema.ts'
import { exampleIds, idOf } from './schemas/example-ids.ts'
import { runStatus } from './schemas/schemas.ts'

const exampleStatusUrl = `https://switchyard.example.com/api/webhooks/agent/${exampleIds.agent}/runs/${exampleIds.run}`

const receipt = named(
  'Receipt',
  v.object({
    runId: idOf('run', 'Run that the delivery started'),
    status: runStatus,
    sequence: field(whole, "Position among the agent's runs in order of arrival, from 1", 12),
    ahead: field(whole, 'Number of unfinished runs ahead of this one', 0),
    statusUrl: field(v.string(), 'URL where the sender can read this receipt again', exampleStatusUrl),
    message: v.optional(
      field(
        v.string(),
        'Only for a failed run: how the owner can replay it',
        `The run of this delivery has failed. Sending the delivery again does not start a new run. The agent's owner can replay it with POST /runs/${exampleIds.run}/replay.`,
      ),
    ),
    replayedBy: v.optional(
      named(
        'DeliveryReplay',
        v.object({ runId: idOf('run', 'Run that the latest replay started'), status: runStatus }),
        'Latest replay of a failed run',
      ),
    ),
  }),
  'Response to a delivery',
  { runId: exampleIds.run, status: 'queued', sequence: 12, ahead: 0, statusUrl: exampleStatusUrl },
)
const challenge = named(
  'Challenge',
  v.object({
    challenge: field(v.string(), 'Challenge that Slack sent', '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'),
  }),
  "Response to Slack's URL verification",
)
const pong = named('Pong', v.object({ pong: field(v.literal(true), 'Always true') }), "Response to GitHub's `ping`")

/** How senders authenticate. The agent's `webhookProof` selects the scheme. */
const schemes = {
  webhookSecret: {
    type: 'apiKey',
    in: 'header',
    name: presets.secret.header,
    description: "The agent's webhook secret",
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: presets['standard-webhooks'].header,
    description: "Signature of the kind specified by the agent's `webhookProof`",
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
  audit: { not: 'The run itself records this.' },
  method: 'post',
  path: webhookPath,
  summary: 'Deliver a webhook to an agent',
  description:
    'Starts a run with the body, which can be any JSON object. Send the secret in `X-Webhook-Secret`, or the proof ' +
    'that the agent expects (`webhookProof`). Deliveries to one agent are processed one at a time, in order of ' +
    'arrival. If the delivery has an `Idempotency-Key`, a `webhook-id`, or a delivery id from GitHub, GitLab, Stripe, ' +
    'Shopify or Slack that was seen before, the response is the original receipt. See [Your first webhook](/docs/start/first-webhook).',
  headers: {
    'Idempotency-Key': 'Key for this delivery. A repeated request with the same key does not start another run.',
    'webhook-id': 'Standard Webhooks equivalent of `Idempotency-Key`, which takes precedence.',
    'webhook-timestamp':
      "For `webhook-signature`: the Unix time in seconds, within five minutes of the platform's clock",
  },
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes, documentation: payload },
  status: 202,
  response: receipt,
  alternatives: {
    200: {
      description: "Response to Slack's URL verification or GitHub's `ping`. No run starts.",
      response: v.union([challenge, pong]),
    },
  },
  proof: {
    schemes,
    codes: [
      'AGENT_NOT_FOUND',
      'WEBHOOK_SECRET_INVALID',
      'TIER_REQUIRED',
      'PERMISSION_DENIED',
      'SUBSCRIPTION_PAST_DUE',
      'RATE_LIMITED',
    ],
  },
  codes: ['WEBHOOK_PAYLOAD_INVALID', 'NO_CREDITS', 'FEATURE_LIMIT_REACHED'],
  serve: deliver,
})

const ofSender = { ...shared, path: deliveryPath, status: 200, response: receipt } as const

/** These requests have no body to sign, so the `webhook-id` in the signature names their one purpose. */
const proofFor = (purpose: 'get' | 'delete'): Proof<typeof deliveryPath, Agent> => ({
  schemes,
  codes: ['AGENT_NOT_FOUND', 'WEBHOOK_SECRET_INVALID', 'RATE_LIMITED'],
  verify: (given) => given.services.webhooks.verifySender(inboundRequest(given), `${purpose}-${given.params.runId}`),
})

export const getDelivery = route({
  ...ofSender,
  name: 'getDelivery',
  method: 'get',
  summary: "Get a delivery's receipt",
  description:
    "For senders. Requires the agent's secret in `X-Webhook-Secret`, regardless of the agent's `webhookProof`. An agent that expects Standard Webhooks also accepts a signature of an empty body with the `webhook-id` `get-<run id>`.",
  proof: proofFor('get'),
  codes: ['RUN_NOT_FOUND'],
  handle: async ({ services, proven: agent, params }) =>
    presentReceipt(services, agent.id, await services.runs.reading.receipt(agent.id, params.runId)),
})

export const withdrawDelivery = route({
  ...ofSender,
  name: 'withdrawDelivery',
  audit: { not: 'The run itself records this.' },
  method: 'delete',
  summary: 'Withdraw a queued delivery',
  description:
    'For senders. Requires the same proof as reading the receipt, but a signature must use the `webhook-id` ' +
    "`delete-<run id>`. After the run has started, only the agent's owner can cancel the run.",
  proof: proofFor('delete'),
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  handle: async ({ services, proven: agent, params }) =>
    presentReceipt(services, agent.id, await services.webhooks.withdraw(agent.id, params.runId)),
})
