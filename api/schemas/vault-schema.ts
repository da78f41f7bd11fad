import * as v from 'valibot'
import { fieldsOf } from '../../src/database/row.ts'
import type { Services } from '../../src/services.ts'
import { changeClasses } from '../../src/sites/changes/difference.ts'
import type { VaultEntry } from '../../src/vault/vault-entry.ts'
import { field, freeObject, named, whole } from './documented.ts'
import { exampleIds, idOf } from './example-ids.ts'
import { list } from './list.ts'
import { createdAt, ownerId, text, time, updatedAt } from './schemas.ts'

/** Hosts outside a site's own domain that the caller trusts with credentials. */
export const acceptHosts = v.optional(
  field(list(text(253), 20), 'Hosts in `foreignHosts` that you trust with credentials', []),
  [],
)

export const scope = named(
  'Scope',
  v.picklist(['read', 'write', 'delete', 'admin']),
  'Permission that a tool needs at its site',
)

/** Scopes of any authorization server. Those of a manifest are in `scope`. */
export const grantedScopes = v.array(v.string())

const authType = named(
  'AuthType',
  v.picklist(['none', 'bearer', 'oauth2']),
  'How the platform authenticates with a site',
)

export const changeClass = named(
  'ChangeClass',
  v.picklist(changeClasses),
  'Severity of a manifest change. A `breaking` or `changed_address` change takes effect when you accept it. Other changes take effect immediately.',
  'compatible',
)

export const fingerprint = field(
  v.string(),
  'SHA-256 of the manifest, in hex',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
)

/** What a manifest says about its site. */
export const siteFields = {
  origin: field(
    v.string(),
    'Origin of the site: scheme and host. The full address for an MCP server, and for an OpenAPI document also its server.',
    'https://tracker.example.com',
  ),
  name: field(v.string(), 'Name of the site', 'Tracker'),
  version: field(v.string(), 'Version of the manifest', '1.4.0'),
  description: field(v.string(), 'Description in the manifest', 'Issue tracker of a small team'),
  authType,
  serverUrl: field(v.string(), 'URL for tool calls', 'https://tracker.example.com/tools'),
  leftOut: field(
    v.array(
      named(
        'LeftOutTool',
        v.object({
          name: field(v.string(), 'Name of the tool', 'search-tree'),
          problem: field(
            v.string(),
            'Why it cannot be used',
            '"inputSchema.properties.node.$ref" is a reference of a schema to itself, and recursion is not supported',
          ),
        }),
        'Tool that a site lists and that cannot be used',
      ),
    ),
    'Tools that the site lists and that cannot be used. At most 20 are listed; the last then says how many more there are.',
    [],
  ),
}

/** A vault entry in responses. */
export const traceContext = field(
  v.boolean(),
  'Whether the site gets the W3C header `traceparent` with tool calls. It is sent only while the operator traces, and says nothing but which calls belong together.',
  true,
)

export const entry = named(
  'VaultEntry',
  v.object({
    id: idOf('entry'),
    ownerId,
    ...siteFields,
    status: named(
      'VaultEntryStatus',
      v.picklist(['connected', 'refresh_failing', 'needs_reauth']),
      '`refresh_failing`: the site is rejecting requests to refresh its tokens, perhaps temporarily. ' +
        '`needs_reauth`: reconnect the site with a new token or through OAuth.',
    ),
    statusReason: field(
      v.nullable(v.string()),
      'Problem with the connection or the granted scopes, and what to do about it. Null if there is no problem.',
      null,
    ),
    scopes: field(
      v.nullable(grantedScopes),
      'Scopes that the site granted, or null if it does not use OAuth. An MCP server has scopes of its own.',
      null,
    ),
    expiresAt: field(
      v.nullable(time),
      'When the access token expires. It is refreshed automatically. Null if unknown.',
      null,
    ),
    refreshAfter: field(
      v.nullable(time),
      'The first use after this time refreshes the access token. Null if it is not refreshed by its age.',
      null,
    ),
    endsAt: field(
      v.nullable(time),
      'When the site must be reconnected, because the credential expires and cannot be refreshed. Null if it is refreshed automatically, or if its end is unknown.',
      null,
    ),
    renewedAt: field(
      time,
      'When the current credential was issued: at the connection, at a replacement or at the last refresh',
    ),
    offersChoice: field(
      v.boolean(),
      'Whether the site offers more tools than it lists, so that its owner can choose others with `PUT /vault/{entryId}/tools`',
      false,
    ),
    agentCount: field(whole, 'Number of agents that can use the site. 100 means 100 or more.', 2),
    lastUsedAt: field(v.nullable(time), 'Last use, to the hour. Null if never used.', null),
    acceptedAt: field(
      v.nullable(time),
      'When the site first accepted the current credential. Null if the site has not accepted it yet.',
    ),
    pendingManifest: field(
      v.nullable(
        named(
          'PendingManifest',
          v.object({ class: changeClass, fingerprint, foundAt: field(time, 'When the change was found') }),
          'Manifest change to accept',
        ),
      ),
      'Manifest change that you can accept. Null if there is none.',
      null,
    ),
    traceContext,
    connectedBy: field(v.nullable(v.string()), 'User whose credential this is. Null if unknown.', exampleIds.user),
    createdAt,
    updatedAt,
  }),
  'Site that an owner has connected',
)

const present = (row: VaultEntry) => {
  const { version, description, server } = row.manifest
  const status = row.status === 'connected' && row.statusReason !== null ? 'refresh_failing' : row.status
  const statusReason = row.statusReason ?? row.scopeNote
  const scopes = row.foreignScopes?.granted ?? row.scopes
  const about = { version, description, serverUrl: server.url, leftOut: row.manifest.left_out ?? [] }
  return { ...fieldsOf(row), scopes, status, statusReason, ...about }
}

/** Vault entries in the shape of `entry`, with their pending manifests and the number of their agents. */
export async function presentEntries({ dialect, manifests, vault }: Services, rows: readonly VaultEntry[]) {
  const ids = rows.map((row) => row.id)
  const [pending, counts] = [await manifests.pendingOf(ids), await vault.agentCountsOf(ids)]
  return rows.map((row) => {
    const isRefreshable = vault.refresh.isRefreshable(row)
    return {
      ...present(row),
      refreshAfter: isRefreshable ? row.refreshAfter : null,
      endsAt: isRefreshable ? null : row.expiresAt,
      offersChoice: dialect.offersChoice(row.dialect),
      agentCount: counts.get(row.id) ?? 0,
      pendingManifest: pending.get(row.id) ?? null,
    }
  })
}

/** One vault entry in the shape of `entry`. */
export async function presentEntry(services: Services, row: VaultEntry) {
  const [presented] = await presentEntries(services, [row])
  return presented
}

export const effect = named(
  'Effect',
  v.picklist(['read', 'idempotent', 'once']),
  'Effect of repeated calls. If the outcome of a call is unknown, only `read` and `idempotent` calls can be repeated safely.',
)

const proposedEffect = named(
  'ProposedEffect',
  v.picklist(['read', 'idempotent']),
  'Effect that the site only proposes. The tool has it once you confirm it. Absent if the site proposes none.',
)

/** A tool as its site publishes it. */
export const tool = named(
  'Tool',
  v.object({
    name: field(v.string(), 'Name of the tool at the site', 'search_issues'),
    description: field(v.string(), 'Description for models', 'Search the issues'),
    inputSchema: named('InputSchema', v.record(v.string(), v.unknown()), 'JSON Schema of the arguments', {
      type: 'object',
      properties: { text: { type: 'string' }, status: { enum: ['open', 'closed'] } },
      required: [],
    }),
    scope,
    effect,
    proposedEffect: v.optional(proposedEffect),
  }),
  'Tool that a site offers',
)

/** A call of `issues.createIssue` at the example issue tracker. */
export const exampleCall = {
  arguments: { title: 'The export hangs', content: 'It stops at 99 %.', category: 'bug' },
  result: { id: 4711, status: 'open', title: 'The export hangs', content: 'It stops at 99 %.', category: 'bug' },
}
export const toolArguments = freeObject(
  'ToolArguments',
  "Arguments that match the tool's `inputSchema`",
  exampleCall.arguments,
)
export const toolResult = freeObject('ToolResult', 'Response from the site', exampleCall.result)

/** The address of a site, and the codes that a request to it can fail with. */
export const url = field(text(4096), 'Address of the site', 'https://tracker.example.com')
export const siteCodes = ['INVALID_URL', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID'] as const
