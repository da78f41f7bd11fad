import type { ErrorCode } from '../../src/errors.ts'
import type { Action } from '../../src/owners/roles.ts'
import type { Scope } from '../../src/users/caller.ts'
import type { AnyRoute, Limit } from './route.ts'

const tokenCodes: ErrorCode[] = ['UNAUTHORIZED', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'TOKEN_REVOKED']

/** Every code that the route can fail with: the codes that its declaration implies, and the codes that it names. */
export function codesOf(route: AnyRoute): ErrorCode[] {
  const codes: ErrorCode[] = []
  if (route.access !== 'anyone') codes.push(...tokenCodes)
  if (mayBeDenied(route)) codes.push('PERMISSION_DENIED')
  if (route.access === 'admin') codes.push('ADMIN_REQUIRED')
  if (route.needsPayments) codes.push('NOT_FOUND')
  if (isOfOwner(route)) codes.push(...ownerCodes(route))
  if (needsTerms(route)) codes.push('TERMS_NOT_ACCEPTED')
  if (limitOf(route) !== 'none') codes.push('RATE_LIMITED')
  if (isStrict(route) || route.rawBody) codes.push('VALIDATION_ERROR')
  codes.push(...(route.proof?.codes ?? []), ...(route.codes ?? []))
  if (route.access !== 'anyone' || limitOf(route) !== 'none' || route.proof || route.resource)
    codes.push('INTERNAL_ERROR')
  return [...new Set(codes)]
}

/** For API keys without the scope or permission, and for accounts that are suspended or scheduled for deletion. */
const mayBeDenied = ({ access }: AnyRoute): boolean => access !== 'anyone'

/** Whether it concerns things that a workspace may own. */
export const isOfOwner = (route: AnyRoute): boolean =>
  route.owner !== undefined || (route.access !== 'anyone' && route.resource !== undefined)

/** Whether it concerns the account of a user. */
export const isOfUser = (route: AnyRoute): boolean => route.ofUser ?? (needsLogin(route) && !isOfOwner(route))

/** The permission that the caller needs for the owner's things. */
export const needsOf = ({ needs, method }: AnyRoute): Action => needs ?? (method === 'get' ? 'see' : 'build')

/** The scope that an API key or an app needs. */
export const scopeOf = ({ scope, method }: AnyRoute): Scope => scope ?? (method === 'get' ? 'read' : 'write')

function ownerCodes(route: AnyRoute): ErrorCode[] {
  const named: ErrorCode[] = route.owner ? ['WORKSPACE_NOT_FOUND'] : []
  if (needsOf(route) === 'see') return named
  return [...named, 'PERMISSION_DENIED', ...(route.whenClosed ? [] : (['WORKSPACE_REQUIRED'] as const))]
}

/** Whether requests belong to an account, by its own token or by a proof that represents it. */
export const isOfAccount = (route: AnyRoute): boolean => route.access !== 'anyone' || route.proof?.account !== undefined

/**
 * Whether undeclared members are refused. Webhooks accept them, because senders add their own query parameters, and so
 * do health checks.
 */
export const isStrict = (route: AnyRoute): boolean => isOfAccount(route) || route.body !== undefined

/** Whether an API key is not enough, whatever its scopes. */
export const needsLogin = (route: AnyRoute): boolean => route.access === 'login' || route.access === 'admin'

export const needsTerms = (route: AnyRoute): boolean => isOfAccount(route) && route.terms !== false

export const limitOf = (route: AnyRoute): Limit => route.limit ?? (isOfAccount(route) ? 'caller' : 'none')
