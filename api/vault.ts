import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, text } from './schemas/schemas.ts'
import { acceptHosts, entry, presentEntries, presentEntry, siteCodes, tool, url } from './schemas/vault-schema.ts'

const entryTool = v.object({
  ...tool.entries,
  usable: v.pipe(v.boolean(), v.metadata({ description: 'Whether the scope it needs is granted' })),
})

const shared = { tag: 'vault', access: 'account', status: 200 } as const
const token = v.pipe(text(8192), v.regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces'))
const anyObject = v.pipe(
  v.custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be a JSON object',
  ),
  v.metadata({ type: 'object' } as never),
)

type Named = { services: Services; caller: { userId: string }; params: { entryId: string } }
const resource = ({ services, caller, params }: Named) => services.vault.get(caller.userId, params.entryId)

export const listVault = route({
  ...shared,
  name: 'listVault',
  method: 'get',
  path: '/vault',
  summary: 'List connected sites',
  query: v.strictObject(paging),
  response: pageOf(entry),
  async handle({ services, caller, query }) {
    const { items, nextCursor } = await services.vault.list(caller.userId, query)
    return { items: await presentEntries(services, items), nextCursor }
  },
})

export const addToVault = route({
  ...shared,
  name: 'addToVault',
  method: 'post',
  path: '/vault',
  summary: 'Connect a site with a bearer token that it issued',
  body: v.strictObject({
    url,
    token,
    acceptHosts,
  }),
  status: 201,
  response: entry,
  codes: [...siteCodes, 'VAULT_LIMIT_REACHED', 'TOKEN_EXISTS'],
  handle: async ({ services, caller, body }) => presentEntry(services, await services.vault.add(caller.userId, body)),
})

export const getVaultEntry = route({
  ...shared,
  name: 'getVaultEntry',
  method: 'get',
  path: '/vault/{entryId}',
  summary: 'Get a connected site',
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource }) => presentEntry(services, resource),
})

export const replaceVaultToken = route({
  ...shared,
  name: 'replaceVaultToken',
  method: 'patch',
  path: '/vault/{entryId}',
  summary: 'Replace the token of a connected site',
  body: v.strictObject({ token }),
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource, body }) =>
    presentEntry(services, await services.vault.replaceToken(resource, body.token)),
})

export const removeFromVault = route({
  ...shared,
  name: 'removeFromVault',
  method: 'delete',
  path: '/vault/{entryId}',
  summary: 'Disconnect a site',
  description: 'Its token is deleted, and agents that used it lose its tools.',
  status: 204,
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource }) => services.vault.remove(resource),
})

export const listTools = route({
  ...shared,
  name: 'listTools',
  method: 'get',
  path: '/vault/{entryId}/tools',
  summary: "List a site's tools with their scope and effect",
  response: v.object({ items: v.array(entryTool) }),
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource }) => ({ items: services.vault.toolsOf(resource) }),
})

export const callTool = route({
  ...shared,
  name: 'callTool',
  method: 'post',
  path: '/vault/{entryId}/tools/{toolName}/call',
  summary: 'Call a tool',
  description:
    "The body is the arguments object that the tool's input schema describes. The call is sent once. With " +
    '`Idempotency-Key`, a repeated request gets the outcome of the first one, and waits for it if need be. Every answer ' +
    'names the call (`callId`), unless nothing was begun because of the limit of the host. A call whose outcome is ' +
    '`unknown` may have had its effect.',
  headers: { 'Idempotency-Key': 'Names the call; under one key, an entry makes one call that may have an effect' },
  body: anyObject,
  // Not a record: valibot's would drop members such as `constructor`.
  response: v.object({ callId: id, result: anyObject }),
  resource,
  codes: ['NOT_FOUND', 'FEATURE_LIMIT_REACHED', 'OUTGOING_RATE_LIMITED', 'SITE_UNAVAILABLE', 'TOOL_EXECUTION_ERROR'],
  handle: ({ services, resource, params, body, request }) => {
    const idempotencyKey = idempotencyKeyOf(request.header)
    return services.tools.callDirectly(resource, { tool: params.toolName, args: body, idempotencyKey })
  },
})
