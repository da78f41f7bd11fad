import * as v from 'valibot'
import { route } from './route/route.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const refresh = v.object({
  id,
  cause: v.picklist(['expiry', 'unauthorized', 'keep_alive']),
  startedAt: time,
  endedAt: v.nullable(time),
  outcome: v.nullable(v.picklist(['refreshed', 'refused', 'not_sent', 'failed', 'ambiguous', 'abandoned'])),
  rotated: v.pipe(v.nullable(v.boolean()), v.metadata({ description: 'Whether the site gave a new refresh token' })),
  error: v.nullable(v.string()),
})

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
  resource: ({ services, caller, params }) => services.vault.get(caller.userId, params.entryId),
  codes: ['NOT_FOUND'],
  handle: ({ services, resource, query }) => services.vault.refresh.history(resource.id, query),
})
