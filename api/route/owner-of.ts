import { ownerNamed, requireAction } from '../../src/owners/reach.ts'
import type { Caller } from '../../src/users/caller.ts'
import { isOwned } from './permit.ts'
import { needsOf } from './route-rules.ts'
import type { AnyRoute } from './route.ts'

/** The owner of the resource, or the one that the request names, if the caller has the permission there. */
export function ownerOf(route: AnyRoute, caller: Caller, { resource, query, body }: Asked): string {
  if (isOwned(resource)) return resource.ownerId
  const { reach } = caller
  if (route.owner === undefined) return reach.home
  const named = (route.owner === 'query' ? query : body) as { workspaceId?: string } | undefined
  const ownerId = ownerNamed(reach, named?.workspaceId)
  requireAction(reach, ownerId, needsOf(route), route.whenClosed)
  return ownerId
}

/** The handler gets `ownerId` instead of `workspaceId`. */
export function withoutOwner({ owner }: AnyRoute, asked: Pick<Asked, 'query' | 'body'>): Pick<Asked, 'query' | 'body'> {
  if (owner === undefined) return asked
  const { workspaceId: _, ...rest } = asked[owner] as { workspaceId?: string }
  return { ...asked, [owner]: rest }
}

interface Asked {
  resource: unknown
  query: unknown
  body: unknown
}
