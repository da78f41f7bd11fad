import type { Json, Schemas } from './json-schema.ts'
import { exampleOf } from './examples.ts'
import { ending } from '../schemas/ending-schema.ts'

/** The requests that the platform makes: the endings of runs, posted to the `callbackUrl` of their agent. */
export function webhooks(schemas: Schemas): Json {
  const schema = schemas.of(ending, 'output')
  const example = exampleOf(schema, schemas.components())
  return {
    runEnded: {
      post: {
        operationId: 'runEnded',
        tags: ['callbacks'],
        summary: 'A run has ended',
        description:
          "Posted to the agent's `callbackUrl` at least once for each run that ends, and signed by Standard Webhooks " +
          "with the agent's `callbackSecret`. The attempts of one ending have the same `webhook-id` and the same body.",
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
  header('webhook-id', 'The id of the callback, the same at every attempt', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a18'),
  header('webhook-timestamp', 'When this attempt was made: seconds since 1970', '1795251607'),
  header(
    'webhook-signature',
    '`v1,` and the signature in base64: HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, under the decoded secret',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const responses = {
  '2XX': { description: 'It was received. The body of the answer is not read.' },
  410: { description: 'The receiver wants no more attempts of this callback.' },
  default: { description: 'It is tried again for a day. `Retry-After` with 429 or 503 is honoured, up to an hour.' },
}
