import type { Transaction } from '../../src/database/database.ts'
import { assertThat, CodedError, isCoded } from '../../src/errors.ts'
import { ownerNamed } from '../../src/owners/reach.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'

/**
 * What a client may do here. `read`: see tools, agents and runs · `run`: call tools and start runs · `decide`: show a
 * person the approvals of its runs as forms, and pass on what the person decides.
 */
export type McpScope = 'read' | 'run' | 'decide'

/** Who sends a request: a user, for one owner, through a client. */
export interface Authenticated {
  userId: string
  /** The user or the workspace whose things the client sees. */
  ownerId: string
  scopes: ReadonlySet<McpScope>
  /** The registered client; absent for API keys. */
  client?: { id: string; name: string }
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
    return authenticatedKey(await users.authenticate(authorization, within))
  } catch (error) {
    throw isCoded(error) && error.status === 401 ? challenged(error, resourceMetadata) : error
  }
}

/**
 * An access token of a login was issued for the console and the API, so it is refused here (RFC 8707, 2).
 * WORKSPACE_NOT_FOUND if the key's creator has left its workspace.
 */
function authenticatedKey(caller: Caller): Authenticated {
  const message = 'Access tokens of sign-in sessions are not for MCP clients. Use an API key.'
  assertThat(caller.via === 'api-key', 'INVALID_TOKEN', { message })
  return { userId: caller.userId, ownerId: ownerNamed(caller.reach, undefined), scopes: scopesOfKey(caller), caller }
}

/** Over HTTP, the scope `write` alone allows decisions. Here it does not, because the client has a model. */
function scopesOfKey({ scopes }: Pick<Caller, 'scopes'>): ReadonlySet<McpScope> {
  const granted = new Set<McpScope>()
  if (scopes.includes('read')) granted.add('read')
  if (scopes.includes('write')) granted.add('run')
  if (scopes.includes('write') && scopes.includes('decide')) granted.add('decide')
  return granted
}

function challenged(error: CodedError, resourceMetadata: string | undefined): CodedError {
  if (resourceMetadata === undefined) return error
  const challenge = ['Bearer', `resource_metadata="${resourceMetadata}"`] as const
  return new CodedError(error.code, { message: error.message, challenge, cause: error })
}
