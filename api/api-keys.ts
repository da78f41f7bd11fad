import * as v from 'valibot'
import { route } from './route/route.ts'
import { id, pageOf, paging, name, time } from './schemas/schemas.ts'

const scopes = v.pipe(
  v.array(v.picklist(['read', 'write'], 'must be read or write'), 'must be a list'),
  v.minLength(1, 'must name at least one scope'),
  v.maxLength(2, 'must name each scope once'),
)
const apiKey = v.object({
  id,
  name: v.string(),
  scopes: v.array(v.string()),
  createdAt: time,
  expiresAt: v.nullable(time),
  lastUsedAt: v.nullable(time),
})

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'caller' } as const

export const listApiKeys = route({
  ...shared,
  name: 'listApiKeys',
  method: 'get',
  path: '/auth/api-keys',
  summary: 'List API keys',
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(apiKey),
  handle: ({ services, caller, query }) => services.users.apiKeys.list(caller, query),
})

export const createApiKey = route({
  ...shared,
  name: 'createApiKey',
  method: 'post',
  path: '/auth/api-keys',
  summary: 'Create an API key',
  description: 'The key is shown only once.',
  terms: true,
  body: v.strictObject({
    name: name(100),
    scopes,
    expiresAt: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.isoTimestamp('must be an ISO 8601 timestamp'),
        v.transform((stamp) => new Date(stamp)),
      ),
    ),
  }),
  status: 201,
  response: v.object({ ...apiKey.entries, key: v.string() }),
  codes: ['FEATURE_LIMIT_REACHED'],
  async handle({ services, caller, body }) {
    const { limits } = await services.billing.account(caller.userId)
    return services.users.apiKeys.create(caller, body, limits.apiKeys)
  },
})

export const deleteApiKey = route({
  ...shared,
  name: 'deleteApiKey',
  method: 'delete',
  path: '/auth/api-keys/{apiKeyId}',
  summary: 'Delete an API key',
  status: 204,
  codes: ['NOT_FOUND'],
  handle: ({ services, caller, params }) => services.users.apiKeys.remove(caller, params.apiKeyId),
})
