import * as v from 'valibot'
import type { Refusals } from '../src/webhooks/refusals.ts'
import { agentNamed as resource } from './route/resources.ts'
import { route } from './route/route.ts'
import { field, freeObject, named, whole } from './schemas/documented.ts'
import { errorCode, time } from './schemas/schemas.ts'

const reason = named(
  'RefusalReason',
  v.object({
    pointer: field(v.string(), 'JSON pointer (RFC 6901) to the invalid member of the payload', '/category'),
    message: field(v.string(), 'What is wrong with it', 'This field is required.'),
  }),
  "Mismatch with the agent's webhook schema",
)

const refusedDelivery = named(
  'RefusedDelivery',
  v.object({
    at: field(time, 'When it was refused'),
    code: errorCode,
    message: field(
      v.string(),
      'Sentence that the sender received',
      'The payload does not match the webhook schema. category: This field is required.',
    ),
    reasons: field(v.array(reason), 'Mismatches with the webhook schema, at most 20. Empty for other codes.'),
    headers: freeObject(
      'RefusedHeaders',
      "`Content-Type`, `User-Agent` and the sender's headers about its delivery, by name",
      { 'Content-Type': 'application/json', 'User-Agent': 'GitHub-Hookshot/044aadd' },
    ),
    bodyBytes: field(v.nullable(whole), 'Size of the body. Null if the delivery was refused before it was read.', 512),
    others: field(whole, 'Number of deliveries refused just before this one, within a second, that are not kept', 0),
  }),
  'Delivery that proved its sender and was refused',
)

const proofFailures = named(
  'ProofFailures',
  v.object({
    count: field(whole, 'Number of failed proofs', 3),
    lastAt: field(time, 'Time of the last one'),
    lastAddress: field(v.string(), 'Client address of the last one', '203.0.113.7'),
  }),
  'Deliveries whose secret or signature was missing or wrong',
)

const present = ({ items, proofFailures: failures }: Refusals) => ({
  items: items.map((item) => ({ ...item, at: new Date(item.at) })),
  proofFailures: failures && { ...failures, lastAt: new Date(failures.lastAt) },
})

export const listRefusedDeliveries = route({
  tag: 'agents',
  access: 'account',
  name: 'listRefusedDeliveries',
  method: 'get',
  path: '/agents/{agentId}/refused-deliveries',
  summary: "List an agent's refused deliveries",
  description:
    'The last 20 deliveries that proved their sender and were refused, newest first, without their bodies. Failed proofs are only counted. A refusal appears after about a second. See [Refused deliveries](/docs/how-to/other-senders#refused-deliveries).',
  status: 200,
  response: named(
    'RefusedDeliveries',
    v.object({
      items: field(v.array(refusedDelivery), 'Newest first, at most 20'),
      proofFailures: field(
        v.nullable(proofFailures),
        'Deliveries whose proof was missing or wrong. Null if there were none.',
      ),
    }),
    'Refused deliveries and failed proofs of an agent',
  ),
  resource,
  codes: ['AGENT_NOT_FOUND'],
  handle: async ({ services, resource }) => present(await services.refusals.of(resource.id)),
})
