import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'
import { entryNamed } from './route/resources.ts'

const outcome = named(
  'RefreshOutcome',
  v.picklist(['refreshed', 'refused', 'not_sent', 'failed', 'ambiguous', 'abandoned']),
  'How a refresh ended',
)
const refresh = named(
  'Refresh',
  v.object({
    id,
    cause: named(
      'RefreshCause',
      v.picklist(['expiry', 'unauthorized', 'keep_alive']),
      'Why the tokens were refreshed: they expired, the site answered 401, or nobody had used them for long',
    ),
    startedAt: field(time, 'When it began'),
    endedAt: field(v.nullable(time), 'When it ended'),
    outcome: field(v.nullable(outcome), 'How it ended; null while it is under way'),
    rotated: field(v.nullable(v.boolean()), 'Whether the site gave a new refresh token'),
    error: field(v.nullable(v.string()), 'What went wrong, for people', null),
  }),
  "A refresh of a site's tokens",
)

export const listRefreshes = route({
  tag: 'vault',
  access: 'account',
  status: 200,
  name: 'listRefreshes',
  method: 'get',
  path: '/vault/{entryId}/refreshes',
  summary: "List the refreshes of a site's tokens, newest first",
  description: 'After `ambiguous` and `abandoned` it is unknown whether the site accepted the refresh token.',
  query: v.strictObject(paging),
  response: pageOf(refresh),
  resource: entryNamed,
  codes: ['NOT_FOUND'],
  handle: ({ services, resource, query }) => services.vault.refresh.history(resource.id, query),
})
