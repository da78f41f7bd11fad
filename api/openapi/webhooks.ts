import type { Json, Schemas } from './json-schema.ts'
import { exampleOf } from './examples.ts'
import { ending } from '../schemas/ending-schema.ts'
import { notificationPosted } from '../schemas/notification-posted-schema.ts'
import { exampleIds } from '../schemas/example-ids.ts'

/**
 * The requests that the platform sends: runs that ended to their agents' `callbackUrl`, notifications to their owners.
 */
export function webhooks(schemas: Schemas): Json {
  const json = (body: typeof ending | typeof notificationPosted): Json => {
    const schema = schemas.of(body, 'output')
    return { 'application/json': { schema, example: exampleOf(schema, schemas.components()) } }
  }
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
        requestBody: { required: true, content: json(ending) },
        responses,
      },
    },
    notificationCreated: {
      post: {
        operationId: 'notificationCreated',
        tags: ['notifications'],
        summary: 'Something needs your attention',
        description:
          'Sent to the URL of `PUT /notifications/webhook` at least once for each notification, and signed with its secret ' +
          '(Standard Webhooks). All attempts have the same `webhook-id`, the id of the notification, and the same body.',
        security: [],
        parameters,
        requestBody: { required: true, content: json(notificationPosted) },
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
  header('webhook-id', 'Id of the callback or notification, the same for every attempt', exampleIds.callback),
  header('webhook-timestamp', 'Unix time of this attempt, in seconds', '1795251607'),
  header(
    'webhook-signature',
    '`v1,` followed by a base64 signature: HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed with the decoded secret',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
]

const responses = {
  '2XX': { description: 'Received. The response body is ignored.' },
  410: { description: 'Rejected. The request is not retried.' },
  default: {
    description: 'Failed. The request is retried for a day. `Retry-After` is honored with 429 or 503, up to an hour.',
  },
}
