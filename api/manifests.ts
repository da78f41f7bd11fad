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
    path: field(v.string(), 'Location, as tool and property names', 'tools.search_issues.inputSchema.text'),
    kind: named('DifferenceKind', v.picklist(['added', 'removed', 'changed']), 'Kind of difference'),
    class: changeClass,
    before: v.optional(field(v.string(), 'Value before the change, shortened for display', 'string')),
    after: v.optional(field(v.string(), 'Value after the change, shortened for display', 'integer')),
    message: field(v.string(), 'What the difference means', 'The type of an argument has changed.'),
  }),
  'Difference between two manifests',
)
const found = {
  class: field(changeClass, 'Severity of the most serious difference'),
  fingerprint,
  differences: field(v.array(difference), 'Differences between the manifests'),
  foundAt: field(time, 'When the change was found'),
}
const change = named(
  'ManifestChange',
  v.object({
    id,
    ...found,
    status: named(
      'ManifestChangeStatus',
      v.picklist(manifestChangeStatuses),
      'adopted: in use without your approval · pending: waits until you accept it · accepted: you accepted it · superseded: another change replaced it before you decided · withdrawn: the site reverted the change',
    ),
    decidedAt: field(v.nullable(time), 'When the change stopped being pending'),
  }),
  "Change to a site's manifest",
)
const check = named(
  'ManifestCheck',
  v.object({
    ...found,
    status: named('ManifestCheckStatus', v.picklist(['none', 'adopted', 'pending']), 'Result of the check'),
  }),
  "Result of checking a site's manifest",
)

const shared = { tag: 'vault', access: 'account', status: 200 } as const

export const refreshManifest = route({
  ...shared,
  name: 'refreshManifest',
  audit: { subject: 'vault_entry' },
  method: 'post',
  path: '/vault/{entryId}/refresh-manifest',
  summary: "Check a site's manifest for changes",
  description:
    'A change that removes nothing is adopted immediately. A change that could break agents, or would send calls ' +
    'or credentials to other addresses, waits until you accept it. The platform also checks every site once a day. ' +
    'See [Manifest changes](/docs/sites/manifest-changes).',
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
    'Use `fingerprint` to identify the change that you reviewed. If the site now uses a different authorization ' +
    'method, you must reconnect it.',
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
  summary: "List a site's manifest changes",
  description: 'Includes changes that were adopted automatically. The last 50 changes are retained.',
  query: v.strictObject(paging),
  response: pageOf(change),
  resource,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource, query }) => services.manifests.history(resource, query),
})
