import * as v from 'valibot'
import { idempotencyKeyOf } from '../src/webhooks/identity.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, inWorkspace, listOf, pageOf, pagingOfOwner, text } from './schemas/schemas.ts'
import {
  acceptHosts,
  entry,
  presentEntries,
  presentEntry,
  siteCodes,
  tool,
  toolArguments,
  toolResult,
  url,
} from './schemas/vault-schema.ts'
import { entryNamed as resource } from './route/resources.ts'

const flag = named(
  'Force',
  v.picklist(['true', 'false'], 'must be true or false'),
  'Whether to do it although something depends on it',
)
const entryTool = named(
  'VaultTool',
  v.object({ ...tool.entries, usable: field(v.boolean(), 'Whether the scope it needs is granted') }),
  'A tool of a connected site',
)

const shared = { tag: 'vault', access: 'account', status: 200 } as const
const token = v.pipe(
  text(8192),
  v.regex(/^[\x21-\x7e]+$/, 'must be visible ASCII characters without spaces'),
  v.metadata({ description: 'The bearer token that the site issued', examples: ['token-of-the-site'] }),
)

export const listVault = route({
  ...shared,
  name: 'listVault',
  method: 'get',
  path: '/vault',
  summary: 'List connected sites',
  description: 'Newest first. Credentials are never shown.',
  owner: 'query',
  query: v.strictObject(pagingOfOwner),
  response: pageOf(entry),
  async handle({ services, ownerId, query }) {
    const { items, nextCursor } = await services.vault.list(ownerId, query)
    return { items: await presentEntries(services, items), nextCursor }
  },
})

export const addToVault = route({
  ...shared,
  name: 'addToVault',
  audit: { subject: 'vault_entry' },
  method: 'post',
  path: '/vault',
  summary: 'Connect a site with a bearer token that it issued',
  description:
    'Reads the manifest of the site, and stores the token encrypted. If the site has a tool with the effect and scope ' +
    '`read` that needs no arguments, it is called once, for five seconds at most, to try the token: `status` and ' +
    '`acceptedAt` say what came of it. Sites with OAuth: `POST /vault/oauth/start`.',
  owner: 'body',
  body: v.strictObject({
    ...inWorkspace,
    url,
    token,
    acceptHosts,
  }),
  status: 201,
  response: entry,
  codes: [...siteCodes, 'VAULT_LIMIT_REACHED', 'TOKEN_EXISTS'],
  handle: async ({ services, caller, ownerId, body }) =>
    presentEntry(services, await services.tools.tried(await services.vault.add(ownerId, body, caller.userId))),
})

export const getVaultEntry = route({
  ...shared,
  name: 'getVaultEntry',
  method: 'get',
  path: '/vault/{entryId}',
  summary: 'Get a connected site',
  description: 'Its status, and a change of its manifest that waits for you. The credential is never shown.',
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource }) => presentEntry(services, resource),
})

export const replaceVaultToken = route({
  ...shared,
  name: 'replaceVaultToken',
  audit: { subject: 'vault_entry' },
  method: 'patch',
  path: '/vault/{entryId}',
  summary: 'Replace the token of a connected site',
  description: 'Runs that wait for it continue. The token is tried as by `POST /vault`.',
  body: v.strictObject({ token }),
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ services, caller, resource, body }) =>
    presentEntry(
      services,
      await services.tools.tried(await services.vault.replaceToken(resource, body.token, caller.userId)),
    ),
})

export const removeFromVault = route({
  ...shared,
  name: 'removeFromVault',
  audit: { subject: 'vault_entry' },
  whenClosed: true,
  method: 'delete',
  path: '/vault/{entryId}',
  summary: 'Disconnect a site',
  description:
    'Its token is deleted. While agents use the site, this is refused, and the agents are named. With `force=true` they ' +
    'lose its tools; their runs then say on the timeline, and to the model, that the site is missing.',
  query: v.strictObject({ force: v.optional(flag, 'false') }),
  status: 204,
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource, query }) => services.vault.remove(resource, { force: query.force === 'true' }),
})

export const listTools = route({
  ...shared,
  name: 'listTools',
  method: 'get',
  path: '/vault/{entryId}/tools',
  summary: "List a site's tools with their scope and effect",
  description: 'Those of the manifest that is in use.',
  response: listOf(entryTool),
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource }) => ({ items: services.vault.toolsOf(resource) }),
})

export const callTool = route({
  ...shared,
  name: 'callTool',
  audit: { not: 'The call is its own record.' },
  needs: 'use',
  method: 'post',
  path: '/vault/{entryId}/tools/{toolName}/call',
  summary: 'Call a tool',
  description:
    "The body is the arguments object that the tool's input schema describes. The call is sent once. With " +
    '`Idempotency-Key`, a repeated request gets the outcome of the first one, and waits for it if need be. Every answer ' +
    'names the call (`callId`), unless nothing was begun because of the limit of the host. A call whose outcome is ' +
    '`unknown` may have had its effect.',
  headers: { 'Idempotency-Key': 'Names the call; under one key, an entry makes one call that may have an effect' },
  body: toolArguments,
  response: named(
    'ToolCallResult',
    v.object({ callId: field(id, 'The call; `GET …/calls/{callId}` shows it'), result: toolResult }),
    'What came of a direct tool call',
  ),
  resource,
  codes: ['NOT_FOUND', 'FEATURE_LIMIT_REACHED', 'OUTGOING_RATE_LIMITED', 'SITE_UNAVAILABLE', 'TOOL_EXECUTION_ERROR'],
  handle: ({ services, resource, params, body, request }) => {
    const idempotencyKey = idempotencyKeyOf(request.header)
    return services.tools.callDirectly(resource, { tool: params.toolName, args: body, idempotencyKey })
  },
})
