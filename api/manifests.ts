import * as v from 'valibot'
import { manifestChangeStatuses } from '../src/vault/manifests/manifest-change.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'
import { acceptHosts, changeClass, entry, fingerprint, presentEntry } from './schemas/vault-schema.ts'
import { entryNamed as resource } from './route/resources.ts'

const difference = named(
  'ManifestDifference',
  v.object({
    path: field(v.string(), 'Where it is: names of tools and properties', 'tools.search_issues.inputSchema.query'),
    kind: named('DifferenceKind', v.picklist(['added', 'removed', 'changed']), 'What happened there'),
    class: changeClass,
    before: v.optional(field(v.string(), 'The value before, cut for display', 'string')),
    after: v.optional(field(v.string(), 'The value after, cut for display', 'integer')),
    message: field(v.string(), 'What it means, as a sentence', 'The type of an argument has changed.'),
  }),
  'One place where two manifests differ',
)
const found = {
  class: field(changeClass, 'The class of the most serious difference'),
  fingerprint,
  differences: field(v.array(difference), 'Where the manifests differ'),
  foundAt: field(time, 'When it was found'),
}
const change = named(
  'ManifestChange',
  v.object({
    id,
    ...found,
    status: named(
      'ManifestChangeStatus',
      v.picklist(manifestChangeStatuses),
      'adopted: used at once · pending: waits to be accepted · superseded: another change came before · withdrawn: the site took it back',
    ),
    decidedAt: field(v.nullable(time), 'When it stopped waiting'),
  }),
  "A change of a site's manifest",
)
const check = named(
  'ManifestCheck',
  v.object({
    ...found,
    status: named('ManifestCheckStatus', v.picklist(['none', 'adopted', 'pending']), 'What came of the check'),
  }),
  'What a look at the manifest of a site found',
)

const shared = { tag: 'vault', access: 'account', status: 200 } as const

export const refreshManifest = route({
  ...shared,
  name: 'refreshManifest',
  audit: { subject: 'vault_entry' },
  method: 'post',
  path: '/vault/{entryId}/refresh-manifest',
  summary: "Check whether a site's manifest has changed",
  description:
    'A change that removes nothing is adopted at once. A change that could break agents, or that would send calls or credentials to different addresses, waits until it is accepted. The platform also checks every site once a day.',
  response: check,
  resource,
  codes: ['NOT_FOUND', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID'],
  handle: ({ services, resource }) => services.manifests.refresh(resource),
})

export const acceptManifest = route({
  ...shared,
  name: 'acceptManifest',
  audit: { subject: 'vault_entry' },
  method: 'post',
  path: '/vault/{entryId}/accept-manifest',
  summary: 'Accept a changed manifest',
  description:
    'Name the change that you were shown by its fingerprint. If the site now has another way to authorize, the entry has to be reconnected.',
  body: v.strictObject({
    fingerprint: v.pipe(
      v.string('must be a string'),
      v.regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits'),
      v.metadata(v.getMetadata(fingerprint)),
    ),
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
