import * as v from 'valibot'
import type { RunDelivery } from '../src/runs/reading/read-delivery.ts'
import type { Run } from '../src/runs/run.ts'
import { webhookProof } from './schemas/agent-fields.ts'
import { webhookField } from './schemas/agent-schema.ts'
import { runNamed as resource } from './route/resources.ts'
import { route } from './route/route.ts'
import { field, freeObject, named, whole } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { time } from './schemas/schemas.ts'

const judgement = named(
  'DeliveryJudgement',
  v.object({
    version: field(whole, "Number of the agent's version when the delivery was accepted", 7),
    proof: webhookProof,
    schema: field(
      v.nullable(v.array(webhookField)),
      'Schema that the payload matched. Null if the agent had none, so nothing was checked.',
      null,
    ),
  }),
  'What the delivery was judged by. It passed, or there would be no run.',
)

const identity = named(
  'DeliveryIdentity',
  v.object({
    key: field(v.string(), 'Key that its sender gave the delivery', '72d3162e-cc78-11e3-81ab-4c9367dc0958'),
    bodyHash: field(
      v.nullable(v.string()),
      'SHA-256 of the body, in hex. A repeated delivery has the same key and the same hash. Null if the key alone counts, because it is in a signed body.',
      '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    ),
  }),
  'What a repeated delivery is recognised by',
)

const delivery = named(
  'RunDelivery',
  v.object({
    runId: idOf('run'),
    agentId: idOf('agent', 'Agent that received the delivery'),
    requestId: idOf('request', '`X-Request-Id` of the request'),
    receivedAt: field(time, 'When it was accepted', '2026-11-21T09:00:00.000Z'),
    replayOf: field(
      v.nullable(v.string()),
      'Replayed run, if the delivery was replayed. It then arrived with the first run of the chain. Null if the sender started this run.',
      null,
    ),
    edited: field(v.boolean(), 'Whether the body was edited for the replay', false),
    headers: freeObject(
      'DeliveryHeaders',
      "Headers that describe the delivery, such as its event. Only headers that are documented for the agent's `webhookProof` are kept, so this is often empty.",
      { 'X-GitHub-Event': 'issues' },
    ),
    body: field(v.string(), 'Body as received, up to 1 MiB', '{"title":"The export hangs"}'),
    bodyBytes: field(whole, 'Size of the body in UTF-8', 28),
    judgedBy: field(
      v.nullable(judgement),
      "What the delivery was judged by. It is read from the agent's versions. Null if that version is no longer kept, and for a deleted agent.",
    ),
    identity: field(
      v.nullable(identity),
      'What a repeated delivery is recognised by. Null if the sender sent no key, so that a repetition would start another run, and for a replay.',
    ),
  }),
  'What is kept of the delivery that started a run',
)

const present = ({ id, agentId, requestId, acceptedAt, replayOf }: Run, found: RunDelivery) => ({
  ...found,
  runId: id,
  agentId,
  requestId,
  receivedAt: acceptedAt,
  replayOf,
  bodyBytes: Buffer.byteLength(found.body),
})

export const getRunDelivery = route({
  tag: 'runs',
  access: 'account',
  name: 'getRunDelivery',
  method: 'get',
  path: '/runs/{runId}/delivery',
  summary: "Get a run's delivery",
  description:
    'Shows the delivery that started the run: its body, the headers that are kept, and what it was judged by. Fails with `NOT_FOUND` if the run was started manually or by a schedule. The delivery is deleted together with its run.',
  status: 200,
  response: delivery,
  resource,
  codes: ['RUN_NOT_FOUND', 'NOT_FOUND'],
  handle: async ({ services, resource }) => present(resource, await services.runs.reading.delivery(resource)),
})
