import type { Context } from 'koa'
import type { Transaction } from '../../src/database/database.ts'
import { whilePermitted } from '../../src/database/while-permitted.ts'
import { assertThat } from '../../src/errors.ts'
import { requireAction } from '../../src/owners/reach.ts'
import type { Services } from '../../src/services.ts'
import {
  requireAdmin,
  requireKept,
  requireOwnAccount,
  requireScope,
  requireTerms,
  type Caller,
} from '../../src/users/caller.ts'
import { credentialIn } from './authenticate.ts'
import type { AnyRoute } from './route.ts'
import { isOfUser, needsLogin, needsOf, needsTerms } from './route-rules.ts'

/** Runs after the resource was found: to a caller who may not see it, the resource does not exist. */
export function permit(route: AnyRoute, caller: Caller, resource: unknown): void {
  requireScope(caller, route.method === 'get' ? 'read' : 'write')
  assertThat(!needsLogin(route) || caller.via === 'login', 'PERMISSION_DENIED', {
    message: 'This operation needs the access token of a login; an API key cannot do it.',
  })
  if (route.access === 'admin') requireAdmin(caller)
  if (isOfUser(route)) requireOwnAccount(caller)
  if (isOwned(resource)) requireAction(caller.reach, resource.ownerId, needsOf(route), route.whenClosed)
}

export const isOwned = (resource: unknown): resource is { ownerId: string } =>
  typeof resource === 'object' && resource !== null && 'ownerId' in resource

/** A request whose handler is to run. */
interface Handled {
  services: Services
  caller: Caller | undefined
  resource: unknown
  ownerId: string | undefined
}

/**
 * Runs the handler. What a route changes is committed only if its caller may change it still: a handler may wait for a
 * site, for a password that is checked, or for a lock, and meanwhile logins, keys, roles and memberships end.
 */
export function handlePermitted(route: AnyRoute, ctx: Context, input: Handled): Promise<unknown> {
  const handle = (): Promise<unknown> => route.handle(input as never)
  if (!input.caller || route.method === 'get') return handle()
  return whilePermitted((trx) => permitAgain(route, ctx, input, trx), route, handle)
}

/** The same questions as before the body was read, within the transaction. They fail with the same codes. */
async function permitAgain(
  route: AnyRoute,
  ctx: Context,
  { services, resource, ownerId }: Handled,
  trx: Transaction,
): Promise<void> {
  const { text } = credentialIn(ctx, services.config.http.baseUrl)
  const caller = await services.users.authenticate(text || undefined, trx)
  if (!route.whileClosing) requireKept(caller)
  if (needsTerms(route)) requireTerms(caller)
  permit(route, caller, resource)
  if (route.owner && ownerId) permit(route, caller, { ownerId })
}
