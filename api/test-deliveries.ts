import * as v from 'valibot'
import { catalogue } from '../src/errors.ts'
import { memberText } from '../src/json-member.ts'
import type { Services } from '../src/services.ts'
import type { TestResult } from '../src/webhooks/test-deliveries.ts'
import { agentNamed as resource } from './route/resources.ts'
import { route } from './route/route.ts'
import { field, freeObject, named, whole } from './schemas/documented.ts'
import { payload } from './schemas/event-schema.ts'
import { errorCode } from './schemas/schemas.ts'
import { presentReceipt } from './present-receipt.ts'

const detail = named(
  'TestDeliveryDetail',
  v.object({
    path: field(v.string(), 'Field or header', 'category'),
    message: field(v.string(), 'What is wrong with it', 'This field is required.'),
  }),
  'One reason for a refusal',
)

const result = named(
  'TestDelivery',
  v.object({
    accepted: field(v.boolean(), 'Whether the delivery was accepted', true),
    status: field(whole, 'HTTP status that a sender would have received', 202),
    code: v.optional(errorCode),
    message: v.optional(
      field(
        v.string(),
        'Only for a refusal: the sentence that a sender would have received',
        'The payload does not match the webhook schema.',
      ),
    ),
    details: v.optional(field(v.array(detail), 'Only for a refusal: what is wrong')),
    answer: v.optional(freeObject('TestDeliveryAnswer', 'Only if accepted: the response to the sender')),
    headers: freeObject('TestDeliveryHeaders', 'Headers of the proof, without a shared secret', {
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }),
  }),
  'Result of a test delivery',
)

async function present(services: Services, agentId: string, given: TestResult) {
  const { headers } = given
  if ('refusal' in given) {
    const { code, message, details } = given.refusal
    return { accepted: false, status: catalogue[code].status, code, message, ...(details && { details }), headers }
  }
  const { outcome } = given
  if (!('runId' in outcome)) return { accepted: true, status: 200, answer: outcome, headers }
  return { accepted: true, status: 202, answer: await presentReceipt(services, agentId, outcome), headers }
}

export const sendTestDelivery = route({
  tag: 'agents',
  access: 'account',
  name: 'sendTestDelivery',
  audit: { not: 'The run itself records this.' },
  method: 'post',
  path: '/agents/{agentId}/test-deliveries',
  summary: 'Send a test delivery',
  needs: 'use',
  description:
    "Signs the payload as the agent's sender does, with the current secret, and judges it like any other delivery. An accepted one starts a run. A refusal is returned with `accepted: false`.",
  body: v.strictObject({ payload }),
  rawBody: { maxBytes: ({ config }) => config.bodies.webhookBytes },
  status: 200,
  response: result,
  resource,
  codes: ['AGENT_NOT_FOUND'],
  async handle({ services, resource, request, raw }) {
    const text = memberText(raw.toString(), 'payload') ?? '{}'
    return present(services, resource.id, await services.testDeliveries.send(resource, text, request))
  },
})
