import { requireOwnAccount } from '../src/users/caller.ts'
import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import type { ApiKey } from '../src/users/api-key.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { list } from './schemas/list.ts'
import { idOf } from './schemas/example-ids.ts'
import { inWorkspace, name, ownerId, pageOf, pagingOfOwner, time } from './schemas/schemas.ts'

const scope = named(
  'ApiKeyScope',
  v.picklist(['read', 'write', 'decide'], 'must be read, write or decide'),
  'read: reads data · write: changes data and starts runs · decide: approves and refuses tool calls, and an MCP client may show approvals as forms',
)
const scopesMeaning = 'Permissions that the key grants'
const nameMeaning = 'Name of the key'
const expiryMeaning = 'When the key expires. If this is null or absent, the key never expires.'
const scopes = v.pipe(
  list(scope, 3, 'must contain each scope only once'),
  v.minLength(1, 'must contain at least one scope'),
  v.metadata({ description: scopesMeaning }),
)
const apiKey = named(
  'ApiKey',
  v.object({
    id: idOf('apiKey'),
    ownerId,
    name: field(v.string(), nameMeaning, 'Nightly report'),
    scopes: field(v.array(scope), scopesMeaning),
    createdAt: time,
    expiresAt: field(v.nullable(time), expiryMeaning, null),
    lastUsedAt: field(v.nullable(time), 'When the key was last used', null),
  }),
  'Information about an API key, without the key itself',
)

const present = <K extends ApiKey>(key: K) => ({ ...fieldsOf(key), ownerId: key.workspaceId ?? key.userId })

const shared = { tag: 'auth', access: 'login', terms: false, limit: 'caller' } as const

export const listApiKeys = route({
  ...shared,
  name: 'listApiKeys',
  method: 'get',
  path: '/auth/api-keys',
  summary: 'List API keys',
  description: 'Newest first. The keys themselves are not shown. In a workspace, requires the `admin` or `owner` role.',
  owner: 'query',
  needs: 'administer',
  query: v.strictObject(pagingOfOwner),
  status: 200,
  response: pageOf(apiKey),
  handle: async ({ services, caller, ownerId, query }) => {
    const page = await services.users.apiKeys.list(caller, { ...query, ownerId })
    return { ...page, items: page.items.map(present) }
  },
})

export const createApiKey = route({
  ...shared,
  name: 'createApiKey',
  audit: { subject: 'api_key' },
  method: 'post',
  path: '/auth/api-keys',
  summary: 'Create an API key',
  description:
    'The key is shown only once. In a workspace, requires the `admin` or `owner` role. See [Sign-in and API ' +
    'keys](/docs/how-to/sign-in-and-api-keys).',
  terms: true,
  owner: 'body',
  needs: 'administer',
  body: v.strictObject({
    ...inWorkspace,
    name: name(100, nameMeaning, 'Nightly report'),
    scopes,
    expiresAt: v.optional(
      v.pipe(
        v.string('must be a string'),
        v.isoTimestamp('must be an ISO 8601 timestamp'),
        v.metadata({ description: expiryMeaning, examples: ['2027-11-21T09:00:00.000Z'] }),
        v.transform((stamp) => new Date(stamp)),
      ),
    ),
  }),
  status: 201,
  response: named(
    'NewApiKey',
    v.object({
      ...apiKey.entries,
      key: field(v.string(), 'Key, shown only once', 'sy_key_an-example-of-a-key'),
    }),
    'New API key',
  ),
  codes: ['FEATURE_LIMIT_REACHED'],
  async handle({ services, caller, ownerId, body }) {
    // The key would outlast its creator's access, which depends on the sign-in provider of the workspace.
    requireOwnAccount(caller)
    const made = await services.users.apiKeys.create(
      caller,
      { ...body, ownerId },
      async (id, trx) => (await services.billing.account(id, trx)).limits.apiKeys,
    )
    return present(made)
  },
})

export const deleteApiKey = route({
  ...shared,
  name: 'deleteApiKey',
  audit: { subject: 'api_key' },
  method: 'delete',
  path: '/auth/api-keys/{apiKeyId}',
  summary: 'Delete an API key',
  description:
    'The key stops working immediately. Chat sessions that were created with it also end. In a workspace, requires the ' +
    '`admin` or `owner` role.',
  status: 204,
  needs: 'administer',
  whenClosed: true,
  resource: ({ services, caller, params }) => services.users.apiKeys.get(caller, params.apiKeyId),
  codes: ['NOT_FOUND'],
  async handle({ services, caller, resource }) {
    await services.users.apiKeys.remove(caller, resource.id)
    await services.accessChanges.note()
  },
})
