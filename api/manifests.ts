import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import { changeClasses } from '../src/sites/changes/difference.ts'
import { manifestChangeStatuses } from '../src/vault/manifests/manifest-change.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'
import { acceptHosts, entry, presentEntry } from './schemas/vault-schema.ts'

const fingerprint = v.pipe(
  v.string(),
  v.metadata({ description: 'SHA-256 of the manifest, in hex', examples: ['9f86d081…'] }),
)
const changeClass = v.pipe(
  v.picklist(changeClasses),
  v.metadata({
    description:
      'The most serious difference. A `breaking` or `changed_address` manifest is not used before it is accepted; any other is used at once.',
  }),
)
const differences = v.array(
  v.object({
    path: v.string(),
    kind: v.picklist(['added', 'removed', 'changed']),
    class: v.picklist(changeClasses),
    before: v.optional(v.string()),
    after: v.optional(v.string()),
    message: v.string(),
  }),
)
const found = { class: changeClass, fingerprint, differences, foundAt: time }
const change = v.object({
  id,
  ...found,
  status: v.picklist(manifestChangeStatuses),
  decidedAt: v.nullable(time),
})

const shared = { tag: 'vault', access: 'account', status: 200 } as const

type Named = { services: Services; caller: { userId: string }; params: { entryId: string } }
const resource = ({ services, caller, params }: Named) => services.vault.get(caller.userId, params.entryId)

export const refreshManifest = route({
  ...shared,
  name: 'refreshManifest',
  method: 'post',
  path: '/vault/{entryId}/refresh-manifest',
  summary: "Check whether a site's manifest has changed",
  description:
    'A change that removes nothing is adopted at once. A change that could break agents, or that would send calls or credentials to other addresses, waits until it is accepted. The platform also checks every site once a day.',
  response: v.object({ ...found, status: v.picklist(['none', 'adopted', 'pending']) }),
  resource,
  codes: ['NOT_FOUND', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID'],
  handle: ({ services, resource }) => services.manifests.refresh(resource),
})

export const acceptManifest = route({
  ...shared,
  name: 'acceptManifest',
  method: 'post',
  path: '/vault/{entryId}/accept-manifest',
  summary: 'Accept a changed manifest',
  description:
    'Name the change that you were shown by its fingerprint. If the site now has another way to authorize, the entry has to be reconnected.',
  body: v.strictObject({
    fingerprint: v.pipe(v.string('must be a string'), v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')),
    acceptHosts,
  }),
  response: entry,
  resource,
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource, body }) =>
    presentEntry(services, await services.manifests.accept(resource, body)),
})

export const listManifestChanges = route({
  ...shared,
  name: 'listManifestChanges',
  method: 'get',
  path: '/vault/{entryId}/manifest-changes',
  summary: "List the changes of a site's manifest",
  description: 'Changes that were adopted at once are included. The last 50 are kept.',
  query: v.strictObject(paging),
  response: pageOf(change),
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource, query }) => services.manifests.history(resource, query),
})
