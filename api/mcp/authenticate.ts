import type { AppScope } from '../../src/apps/app-scopes.ts'
import type { Transaction } from '../../src/database/database.ts'
import { CodedError, isCoded } from '../../src/errors.ts'
import { ownerNamed } from '../../src/owners/reach.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'

export type McpScope = AppScope

/** Who sends a request: a user, for one owner, with an API key or through a connected app. */
export interface Authenticated {
  userId: string
  /** The user or the workspace whose things the client sees. */
  ownerId: string
  scopes: ReadonlySet<McpScope>
  /** The same as the rest of the API knows the sender. */
  caller: Caller
}

/**
 * Authenticates a request by its Authorization header, never by a cookie. Within a transaction, it only reads. Fails as
 * `users.authenticate` does, with a challenge that names the metadata of this resource (RFC 9728, 5.1), if there is any.
 */
export async function authenticate(
  { users }: Pick<Services, 'users'>,
  authorization: string | undefined,
  { within, resourceMetadata }: { within?: Transaction | undefined; resourceMetadata?: string | undefined } = {},
): Promise<Authenticated> {
  try {
    return authenticated(await users.authenticate(authorization, within, 'apps'))
  } catch (error) {
    throw isCoded(error) && error.status === 401 ? challenged(error, resourceMetadata) : error
  }
}

/** WORKSPACE_NOT_FOUND if the creator of a key has left its workspace. */
const authenticated = (caller: Caller): Authenticated => ({
  userId: caller.userId,
  ownerId: ownerNamed(caller.reach, undefined),
  scopes: scopesOf(caller),
  caller,
})

function scopesOf({ scopes }: Pick<Caller, 'scopes'>): ReadonlySet<McpScope> {
  const granted = new Set<McpScope>()
  if (scopes.includes('read')) granted.add('read')
  if (scopes.includes('write')) granted.add('run')
  if (scopes.includes('decide')) granted.add('decide')
  return granted
}

function challenged(error: CodedError, resourceMetadata: string | undefined): CodedError {
  if (resourceMetadata === undefined) return error
  const challenge = ['Bearer', `resource_metadata="${resourceMetadata}"`] as const
  return new CodedError(error.code, { message: error.message, challenge, cause: error })
}
