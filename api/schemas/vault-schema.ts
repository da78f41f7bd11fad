import * as v from 'valibot'
import { fieldsOf } from '../../src/database/row.ts'
import type { Services } from '../../src/services.ts'
import { changeClasses } from '../../src/sites/changes/difference.ts'
import type { PendingManifest } from '../../src/vault/manifests/manifests.ts'
import type { VaultEntry } from '../../src/vault/vault-entry.ts'
import { field, freeObject, named } from './documented.ts'
import { list } from './list.ts'
import { id, ownerId, text, time } from './schemas.ts'

/** Hosts outside a site's own domain that the caller allows credentials to go to. */
export const acceptHosts = v.optional(
  field(
    list(text(253), 20),
    "Hosts outside the site's own domain that credentials may go to: those of `foreignHosts` that you trust",
    [],
  ),
  [],
)

export const scope = named('Scope', v.picklist(['read', 'write', 'delete', 'admin']), 'What a tool may do at its site')

const authType = named('AuthType', v.picklist(['bearer', 'oauth2']), 'How users authorize the platform at a site')

export const changeClass = named(
  'ChangeClass',
  v.picklist(changeClasses),
  'How serious a change of a manifest is. A `breaking` or `changed_address` manifest is not used before it is accepted; any other is used at once.',
  'compatible',
)

export const fingerprint = field(
  v.string(),
  'SHA-256 of the manifest, in hex',
  '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
)

/** What a site says of itself. */
export const siteFields = {
  origin: field(v.string(), 'Its address: scheme and host', 'https://tracker.example.com'),
  name: field(v.string(), 'Its name', 'Tracker'),
  version: field(v.string(), 'The version of its manifest', '1.4.0'),
  description: field(v.string(), 'What it is, in its own words', 'Issues of a small team'),
  authType,
  serverUrl: field(v.string(), 'Where its tools are called', 'https://tracker.example.com/tools'),
}

/** A vault entry in responses. */
export const entry = named(
  'VaultEntry',
  v.object({
    id,
    ownerId,
    ...siteFields,
    status: named(
      'VaultEntryStatus',
      v.picklist(['connected', 'refresh_failing', 'needs_reauth']),
      'refresh_failing: the site refuses to refresh its tokens, for a reason that may pass · ' +
        'needs_reauth: the owner has to reconnect it, with a new token or by OAuth',
    ),
    statusReason: field(
      v.nullable(v.string()),
      'Why it is not simply connected, and what has to be done; also what the site has granted, if no tool can be called with it',
      null,
    ),
    scopes: field(v.nullable(v.array(scope)), 'The scopes granted; OAuth only', null),
    expiresAt: field(v.nullable(time), 'When the access token expires; it is refreshed before', null),
    lastUsedAt: field(v.nullable(time), 'To the hour', null),
    acceptedAt: field(
      v.nullable(time),
      'When the site first accepted the present credential; null: it has not been tried yet',
    ),
    pendingManifest: field(
      v.nullable(
        named(
          'PendingManifest',
          v.object({ class: changeClass, fingerprint, foundAt: field(time, 'When it was found') }),
          'A change of a manifest that waits to be accepted',
        ),
      ),
      'A change of the manifest that waits to be accepted',
      null,
    ),
    connectedBy: field(v.nullable(id), 'The user whose credential it is; null if that is not known', null),
    createdAt: time,
    updatedAt: time,
  }),
  'A connected site: the credential of one owner, and the manifest that is in use',
)

const present = (row: VaultEntry, pendingManifest: PendingManifest | null) => {
  const { version, description, server } = row.manifest
  const status = row.status === 'connected' && row.statusReason !== null ? 'refresh_failing' : row.status
  const statusReason = row.statusReason ?? row.scopeNote
  return { ...fieldsOf(row), status, statusReason, version, description, serverUrl: server.url, pendingManifest }
}

/** Vault entries in the shape of `entry`, with their pending manifests. */
export async function presentEntries({ manifests }: Services, rows: readonly VaultEntry[]) {
  const pending = await manifests.pendingOf(rows.map((row) => row.id))
  return rows.map((row) => present(row, pending.get(row.id) ?? null))
}

/** One vault entry in the shape of `entry`. */
export async function presentEntry(services: Services, row: VaultEntry) {
  const [presented] = await presentEntries(services, [row])
  return presented
}

export const effect = named(
  'Effect',
  v.picklist(['read', 'idempotent', 'once']),
  'Whether a call may be repeated after a failure that leaves its outcome open',
)

/** A tool as its site publishes it. */
export const tool = named(
  'Tool',
  v.object({
    name: field(v.string(), 'Its name at the site', 'search_issues'),
    description: field(v.string(), 'What it does, for models', 'Search issues by words'),
    inputSchema: named('InputSchema', v.record(v.string(), v.unknown()), 'The JSON Schema of its arguments', {
      type: 'object',
      properties: { query: { type: 'string' } },
      required: ['query'],
    }),
    scope,
    effect,
  }),
  'An operation of a site',
)

export const toolArguments = freeObject('ToolArguments', "The arguments, as the tool's `inputSchema` describes them", {
  query: 'export',
})
export const toolResult = freeObject('ToolResult', 'What the site answered', { issues: [] })

/** The address of a site to read, and the codes that reading it can fail with. */
export const url = field(text(2048), 'The address of the site', 'https://tracker.example.com')
export const siteCodes = ['INVALID_URL', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID'] as const
