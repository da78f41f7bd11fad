import * as v from 'valibot'
import { assertThat, problemAt } from '../src/errors.ts'
import { mostChosen } from '../src/vault/choice.ts'
import { idempotencyKeyOf } from '../src/webhooks/delivery-identity.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { list } from './schemas/list.ts'
import { inWorkspace, listOf, pageOf, pagingOfOwner, text } from './schemas/schemas.ts'
import {
  acceptHosts,
  effect,
  entry,
  presentEntries,
  presentEntry,
  siteCodes,
  tool,
  toolArguments,
  toolResult,
  traceContext,
  url,
} from './schemas/vault-schema.ts'
import { entryNamed as resource } from './route/resources.ts'

const flag = named(
  'Force',
  v.picklist(['true', 'false'], 'must be true or false'),
  'Whether to disconnect the site even if agents use it',
)
const entryTool = named(
  'VaultTool',
  v.object({ ...tool.entries, usable: field(v.boolean(), 'Whether the scope that the tool needs is granted') }),
  'Tool that a connected site offers',
)
const toolEffect = named(
  'ToolEffect',
  v.strictObject({ name: field(text(128), 'Name of the tool at the site', 'search_issues'), effect }),
  'Tool with the effect that it is to have',
)

const chosenTools = field(
  list(text(128), mostChosen),
  'Names of 1 to 20 tools, for a site that offers a choice (`offered` of `POST /vault/inspect`)',
  ['list_pets', 'get_pet'],
)

const shared = { tag: 'vault', access: 'account', status: 200 } as const
const token = v.pipe(
  text(8192),
  v.regex(/^\P{C}+$/u, 'must not contain control or invisible characters'),
  v.metadata({
    description:
      'Token issued by the site, in visible ASCII characters without spaces. For an API with basic sign-in: the user name and the password with a colon between, in any characters.',
    examples: ['token-of-the-site'],
  }),
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
  summary: 'Connect a site with a bearer token, or without sign-in',
  description:
    "Reads the site's manifest, or the tools of an MCP server at this address, and stores the token in encrypted form. A server without sign-in needs no token. To check the token, the platform calls a tool that has the `read` effect and scope and needs no arguments, if there is one. `status` and `acceptedAt` show the result. For a site with OAuth, use `POST /vault/oauth/start`. See [Connect a site](/docs/how-to/connect-a-site).",
  owner: 'body',
  body: v.strictObject({
    ...inWorkspace,
    url,
    token: v.optional(token),
    tools: v.optional(chosenTools),
    acceptHosts,
  }),
  status: 201,
  response: entry,
  codes: [...siteCodes, 'VAULT_LIMIT_REACHED', 'TOKEN_EXISTS'],
  async handle({ services, caller, ownerId, body }) {
    const entry = await services.vault.add(ownerId, { ...body, token: body.token ?? '' }, caller.userId)
    return presentEntry(services, await services.tools.tried(entry))
  },
})

export const getVaultEntry = route({
  ...shared,
  name: 'getVaultEntry',
  method: 'get',
  path: '/vault/{entryId}',
  summary: 'Get a connected site',
  description:
    "Shows the site's status, and any manifest change that is waiting for you to accept it. The credential is never shown.",
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource }) => presentEntry(services, resource),
})

const nothingToChange = problemAt('token', 'Send a token, traceContext, or both.')

export const replaceVaultToken = route({
  ...shared,
  name: 'replaceVaultToken',
  audit: { subject: 'vault_entry' },
  method: 'patch',
  path: '/vault/{entryId}',
  summary: "Replace a site's token, or change what the site learns",
  description:
    'Runs that are waiting for the site continue with a new token. It is checked as in `POST /vault`. An entry without sign-in gets its first token. `traceContext` can be changed with the token or alone.',
  body: v.strictObject({ token: v.optional(token), traceContext: v.optional(traceContext) }),
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  async handle({ services, caller, resource, body }) {
    assertThat(body.token !== undefined || body.traceContext !== undefined, 'VALIDATION_ERROR', nothingToChange)
    const { token, traceContext } = body
    const replace = async (text: string) => services.vault.replaceToken(resource, text, caller.userId)
    const current = token === undefined ? resource : await services.tools.tried(await replace(token))
    return presentEntry(services, await services.vault.tellSpans(current, traceContext))
  },
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
    "Deletes the site's token. If agents use the site, the request fails, and the error lists those agents. With `force=true`, the agents lose the site's tools, and their runs report the missing site on the timeline and to the model.",
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
  summary: "List a site's tools",
  description: 'Lists the tools in the current manifest, with their scopes and effects.',
  response: listOf(entryTool),
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource }) => ({ items: services.vault.toolsOf(resource) }),
})

export const confirmEffects = route({
  ...shared,
  name: 'confirmEffects',
  audit: { subject: 'vault_entry' },
  method: 'patch',
  path: '/vault/{entryId}/tools',
  summary: "Confirm the effects of a site's tools",
  description:
    'Some sites only propose effects (`proposedEffect`). Until you confirm one, the effect of the tool is `once`. After that, calls may be repeated. You can confirm the proposed effect or `idempotent` where `read` is proposed, and go back to `once` at any time. Other tools keep their effects. The confirmation ends when the site no longer proposes the effect. See [Effects](/docs/understand/effects#proposed-effects).',
  body: v.strictObject({
    tools: field(list(toolEffect, 200), 'Tools whose effects change'),
  }),
  response: listOf(entryTool),
  resource,
  codes: ['NOT_FOUND'],
  async handle({ services, resource, body }) {
    return { items: services.vault.toolsOf(await services.manifests.confirmEffects(resource, body.tools)) }
  },
})

export const chooseTools = route({
  ...shared,
  name: 'chooseTools',
  audit: { subject: 'vault_entry' },
  method: 'put',
  path: '/vault/{entryId}/tools',
  summary: "Choose a site's tools",
  description:
    'For a site that offers a choice (`offersChoice`): these tools replace the earlier choice. Tools that stay are used as before. `POST /vault/inspect` with the `origin` of the entry lists what you can choose.',
  look: async (input) => {
    const { name, origin, manifest } = await resource(input)
    return { name, origin, tools: manifest.tools.map((one) => one.name) }
  },
  body: v.strictObject({ tools: chosenTools }),
  response: listOf(entryTool),
  resource,
  codes: ['NOT_FOUND', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID'],
  async handle({ services, resource, body }) {
    return { items: services.vault.toolsOf(await services.manifests.chooseTools(resource, body.tools)) }
  },
})

export const callTool = route({
  ...shared,
  name: 'callTool',
  audit: { not: 'The call itself records this.' },
  needs: 'use',
  method: 'post',
  path: '/vault/{entryId}/tools/{toolName}/call',
  summary: 'Call a tool',
  description:
    "The body is the arguments object, as described by the tool's input schema. The call is sent once. Every " +
    "response, even an error, has a `callId`, unless the host's rate limit stopped the call before " +
    'it started. A call with the `unknown` outcome may have taken effect. With `Idempotency-Key`, a repeated request returns the outcome of the original call, after waiting for it if necessary.',
  headers: {
    'Idempotency-Key':
      'Key for this call. A repeated request with the same key never makes a second call that could take effect.',
  },
  body: toolArguments,
  response: named(
    'ToolCallResult',
    v.object({ callId: idOf('call', 'Id of the call, for `GET /vault/{entryId}/calls/{callId}`'), result: toolResult }),
    'Result of a direct tool call',
  ),
  resource,
  codes: ['NOT_FOUND', 'FEATURE_LIMIT_REACHED', 'OUTGOING_RATE_LIMITED', 'SITE_UNAVAILABLE', 'TOOL_EXECUTION_ERROR'],
  handle: ({ services, resource, params, body, request }) => {
    const idempotencyKey = idempotencyKeyOf(request.header)
    return services.tools.callDirectly(resource, { tool: params.toolName, args: body, idempotencyKey })
  },
})
