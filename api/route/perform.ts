import * as v from 'valibot'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import { audited } from './audited.ts'
import type { RequestFacts } from './request-facts.ts'
import type { AnyRoute, Route } from './route.ts'
import { validated } from './validation.ts'

/** The parts of a handler's input that apply to other routes too. */
export interface OfCaller {
  services: Services
  caller: Caller
  request: RequestFacts
  ownerId: string
}

/**
 * Makes something as another route does, for the same caller and owner, with that route's audit entry. The handler's
 * own route has checked the permission, which must be the same. Fails as the other route does.
 */
export async function perform<Path extends string, Body extends v.GenericSchema, Response extends v.GenericSchema>(
  route: Route<Path, 'account', undefined, Body, Response, undefined, undefined>,
  given: OfCaller,
  body: v.InferInput<Body>,
): Promise<v.InferOutput<Response>> {
  const { body: bodySchema, response } = route as { body: Body; response: Response }
  const input = { ...given, params: {}, resource: undefined, body: validated(bodySchema, body, 'The body is invalid.') }
  const answer = await audited(route as AnyRoute, input, async () => route.handle?.(input as never))
  return v.parse(response, answer)
}
