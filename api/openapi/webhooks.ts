import type { Json, Schemas } from './json-schema.ts'
import { exampleOf } from './examples.ts'
import { ending } from '../schemas/ending-schema.ts'
import { exampleIds } from '../schemas/example-ids.ts'

/** The requests that the platform sends: a callback for each run that ends, to the `callbackUrl` of its agent. */
export function webhooks(schemas: Schemas): Json {
  const schema = schemas.of(ending, 'output')
  const example = exampleOf(schema, schemas.components())
  return {
    runEnded: {
      post: {
        operationId: 'runEnded',
        tags: ['callbacks'],
        summary: 'A run ended',
        description:
          "Sent to the agent's `callbackUrl` at least once for each run that ends, and signed with the `callbackSecret` " +
          '(Standard Webhooks). All attempts of one callback have the same `webhook-id` and the same body.',
        security: [],
        parameters,
        requestBody: { required: true, content: { 'application/json': { schema, example } } },
        responses,
      },
    },
  }
}

const header = (name: string, description: string, example: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const parameters = [
  header('webhook-id', 'Id of the callback, the same for every attempt', exampleIds.callback),
  header('webhook-timestamp', 'Unix time of this attempt, in seconds', '1795251607'),
  header(
    'webhook-signature',
    '`v1,` followed by a base64 signature: HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the decoded secret',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const responses = {
  '2XX': { description: 'Received. The response body is ignored.' },
  410: { description: 'Rejected. This callback is not retried.' },
  default: {
    description: 'Failed. The callback is retried for a day. `Retry-After` is honored with 429 or 503, up to an hour.',
  },
}
