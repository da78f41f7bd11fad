import * as v from 'valibot'
import { fieldsOf } from '../../src/database/row.ts'
import type { Services } from '../../src/services.ts'
import { changeClasses } from '../../src/sites/changes/difference.ts'
import type { PendingManifest } from '../../src/vault/manifests/manifests.ts'
import type { VaultEntry } from '../../src/vault/vault-entry.ts'
import { id, text, time } from './schemas.ts'

/** Hosts outside a site's own domain that the caller allows credentials to go to. */
export const acceptHosts = v.optional(v.pipe(v.array(text(253)), v.maxLength(20)), [])

export const scope = v.picklist(['read', 'write', 'delete', 'admin'])

/** A vault entry in responses. */
export const entry = v.object({
  id,
  origin: v.string(),
  name: v.string(),
  version: v.string(),
  description: v.string(),
  authType: v.picklist(['bearer', 'oauth2']),
  serverUrl: v.string(),
  status: v.pipe(
    v.picklist(['connected', 'refresh_failing', 'needs_reauth']),
    v.metadata({
      description:
        'refresh_failing: the site refuses to refresh its tokens, for a reason that may pass; needs_reauth: the owner has to reconnect it, with a new token or by OAuth',
    }),
  ),
  statusReason: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: 'Why it is not simply connected, and what has to be done' }),
  ),
  scopes: v.pipe(v.nullable(v.array(scope)), v.metadata({ description: 'The scopes granted; OAuth only' })),
  expiresAt: v.pipe(
    v.nullable(time),
    v.metadata({ description: 'When the access token expires; it is refreshed before' }),
  ),
  lastUsedAt: v.pipe(v.nullable(time), v.metadata({ description: 'To the hour' })),
  pendingManifest: v.pipe(
    v.nullable(v.object({ class: v.picklist(changeClasses), fingerprint: v.string(), foundAt: time })),
    v.metadata({ description: 'A change of the manifest that waits to be accepted' }),
  ),
  createdAt: time,
  updatedAt: time,
})

const present = (row: VaultEntry, pendingManifest: PendingManifest | null) => {
  const { version, description, server } = row.manifest
  const status = row.status === 'connected' && row.statusReason !== null ? 'refresh_failing' : row.status
  return { ...fieldsOf(row), status, version, description, serverUrl: server.url, pendingManifest }
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

export const effect = v.pipe(
  v.picklist(['read', 'idempotent', 'once']),
  v.metadata({ description: 'Whether a call may be repeated after a failure that leaves its outcome open' }),
)

/** A tool as its site publishes it. */
export const tool = v.object({
  name: v.string(),
  description: v.string(),
  inputSchema: v.record(v.string(), v.unknown()),
  scope,
  effect,
})

/** The address of a site to read, and the codes that reading it can fail with. */
export const url = v.pipe(text(2048), v.metadata({ examples: ['https://tracker.example.com'] }))
export const siteCodes = ['INVALID_URL', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID'] as const
