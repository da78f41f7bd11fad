import type { Context } from 'koa'
import type { Transaction } from '../../src/database/database.ts'
import { whilePermitted } from '../../src/database/while-permitted.ts'
import { assertThat, isCoded } from '../../src/errors.ts'
import { ownerNamed, requireAction, type ActFor } from '../../src/owners/reach.ts'
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
import type { RequestFacts } from './request-facts.ts'
import type { AnyRoute } from './route.ts'
import { isOfOwner, isOfUser, needsLogin, needsOf, needsTerms, scopeOf } from './route-rules.ts'

/** Runs after the resource was found: to a caller who may not see it, the resource does not exist. */
export function permit(route: AnyRoute, caller: Caller, resource: unknown): void {
  requireScope(caller, scopeOf(route))
  assertThat(!needsLogin(route) || caller.via === 'login', 'PERMISSION_DENIED', {
    message: 'This operation requires an access token. API keys cannot perform it.',
  })
  if (route.access === 'admin') requireAdmin(caller)
  if (isOfUser(route)) requireOwnAccount(caller)
  if (isOwned(resource)) requireAction(caller.reach, resource.ownerId, needsOf(route), route.whenClosed)
}

export const isOwned = (resource: unknown): resource is { ownerId: string } =>
  typeof resource === 'object' && resource !== null && 'ownerId' in resource

/** A request that is ready for its handler. */
interface Handled {
  services: Services
  params: Readonly<Record<string, string>>
  request: RequestFacts
  caller: Caller | undefined
  resource: unknown
  ownerId: string | undefined
}

/** The caller of a request as of now, read in the transaction if one is given. Fails if the credential has ended. */
export type CallerNow = (trx?: Transaction) => Promise<Caller>

export const callerNowOf =
  ({ users, config }: Services, ctx: Context): CallerNow =>
  (trx) =>
    users.authenticate(credentialIn(ctx, config.http.baseUrl).text || undefined, trx)

/**
 * Runs the handler. Changes are committed only if the caller still has the permission: while a handler waits for a
 * site, a password check or a lock, logins, keys, roles and memberships can end.
 */
export async function handlePermitted(route: AnyRoute, callerNow: CallerNow, input: Handled): Promise<unknown> {
  const actFor = input.caller && createActFor(route, callerNow, input, input.caller)
  const handle = async (): Promise<unknown> => route.handle?.({ ...input, actFor } as never)
  if (!input.caller || route.method === 'get') return handle()
  const asking = { party: input.caller.userId, endsAccess: route.endsAccess }
  const isPermitted = async (trx: Transaction) => void (await permitAgain(route, callerNow, input, trx))
  return whilePermitted(isPermitted, asking, handle).catch(async (error: unknown) => {
    // After the membership has ended, the caller gets the NOT_FOUND code of the resource.
    if (isCoded(error, 'WORKSPACE_NOT_FOUND')) await route.resource?.({ ...input, caller: await callerNow() })
    throw error
  })
}

function createActFor(route: AnyRoute, callerNow: CallerNow, input: Handled, caller: Caller): ActFor {
  return async (ownerId, work) => {
    const check = ({ reach }: Caller): void => {
      ownerNamed(reach, ownerId)
      requireAction(reach, ownerId, needsOf(route), route.whenClosed)
    }
    check(caller)
    const isPermitted = async (trx: Transaction) => check(await permitAgain(route, callerNow, input, trx))
    return whilePermitted(isPermitted, { party: caller.userId }, work)
  }
}

/** Repeats the earlier checks within the transaction. They fail with the same codes. Returns the caller as of now. */
async function permitAgain(
  route: AnyRoute,
  callerNow: CallerNow,
  { resource, ownerId }: Handled,
  trx: Transaction,
): Promise<Caller> {
  const caller = await callerNow(trx)
  if (!route.whileClosing) requireKept(caller)
  if (needsTerms(route)) requireTerms(caller)
  if (isOfOwner(route)) ownerNamed(caller.reach, ownerId)
  permit(route, caller, resource)
  if (route.owner) permit(route, caller, { ownerId })
  return caller
}
