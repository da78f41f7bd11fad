import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'
import { entryNamed } from './route/resources.ts'

const outcome = named(
  'RefreshOutcome',
  v.picklist(['refreshed', 'refused', 'not_sent', 'failed', 'ambiguous', 'abandoned']),
  'Outcome of a refresh',
)
const refresh = named(
  'Refresh',
  v.object({
    id,
    cause: named(
      'RefreshCause',
      v.picklist(['expiry', 'unauthorized', 'keep_alive']),
      'expiry: the tokens expired · unauthorized: the site responded with 401 · keep_alive: the tokens had not been used for a long time',
    ),
    startedAt: field(time, 'When the refresh started'),
    endedAt: field(v.nullable(time), 'When the refresh ended'),
    outcome: field(v.nullable(outcome), 'Outcome of the refresh. Null while the refresh is running.'),
    rotated: field(v.nullable(v.boolean()), 'Whether the site issued a new refresh token'),
    error: field(v.nullable(v.string()), 'Human-readable description of what went wrong', null),
  }),
  "Refresh of a site's tokens",
)

export const listRefreshes = route({
  tag: 'vault',
  access: 'account',
  status: 200,
  name: 'listRefreshes',
  method: 'get',
  path: '/vault/{entryId}/refreshes',
  summary: 'List token refreshes',
  description:
    'Newest first. If the outcome is `ambiguous` or `abandoned`, it is unknown whether the site accepted the refresh token.',
  query: v.strictObject(paging),
  response: pageOf(refresh),
  resource: entryNamed,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource, query }) => services.vault.refresh.history(resource.id, query),
})
