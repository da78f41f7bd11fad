import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import { audited } from './audited.ts'
import { withCanonicalIds, withCanonicalParams } from './canonical-ids.ts'
import { ownerOf, withoutOwner } from './owner-of.ts'
import { handlePermitted, permit, type CallerNow } from './permit.ts'
import { present } from './present.ts'
import type { RequestFacts } from './request-facts.ts'
import type { AnyRoute } from './route.ts'
import { validated } from './validation.ts'

/** Who uses a route in another way than by its path, and for which request. */
export interface RouteUser {
  services: Services
  caller: Caller
  callerNow: CallerNow
  request: RequestFacts
}

/** What a request to the path would have. `query` is an object of texts. */
interface Given {
  params?: Record<string, string>
  query?: object
  body?: object
  raw?: Buffer
}

/**
 * Does what a request to the route would do, with the same checks, permissions, audit entry and errors. Returns the
 * answer as the route presents it. The request was counted and its terms checked when it was admitted.
 */
export async function useRoute(route: AnyRoute, user: RouteUser, given: Given = {}): Promise<unknown> {
  const { services, caller, request } = user
  const params = withCanonicalParams(given.params ?? {})
  const resource: unknown = await route.resource?.({ services, caller, request, params })
  permit(route, caller, resource)
  const query = route.query && validated(route.query, withCanonicalIds(given.query ?? {}), 'The query is invalid.')
  const body = route.body && validated(route.body, withCanonicalIds(given.body ?? {}), 'The body is invalid.')
  const asked = { resource, query, body }
  const ownerId = ownerOf(route, caller, asked)
  const input = { services, caller, request, params, resource, ownerId, ...withoutOwner(route, asked), raw: given.raw }
  const handled = await audited(route, input, () => handlePermitted(route, user.callerNow, input))
  return present(route, handled)
}
