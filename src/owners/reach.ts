import { assertThat } from '../errors.ts'
import { can, rolesFor, type Action, type Role } from './roles.ts'

/** Why a workspace is closed: its owner's tier lacks workspaces, or the account is suspended or marked for deletion. */
export type ClosedBy = 'tier' | 'suspension' | 'deletion'

/** The cause that the owner can do least about. */
export function closingCause(owner: { isSuspended: boolean; isClosing: boolean; hasTier: boolean }): ClosedBy | null {
  if (owner.isSuspended) return 'suspension'
  if (owner.isClosing) return 'deletion'
  return owner.hasTier ? null : 'tier'
}

/** A user's access to one owner. */
export interface Place {
  role: Role
  /** Why the owner's things are read-only; null if they are not. */
  closedBy: ClosedBy | null
}

/** The owners that a caller can see: the user, and the workspaces that the user belongs to. */
export interface Reach {
  /** The default owner for requests that name no workspace. */
  home: string
  places: ReadonlyMap<string, Place>
}

/** A membership, as it is read with the caller. */
export interface Membership {
  workspaceId: string
  role: Role
  closedBy: ClosedBy | null
}

/** The reach of a user: the user's own things, and the user's workspaces. */
export const reachOf = (userId: string, memberships: readonly Membership[]): Reach => ({
  home: userId,
  places: new Map<string, Place>([
    [userId, { role: 'owner', closedBy: null }],
    ...memberships.map(({ workspaceId, role, closedBy }) => [workspaceId, { role, closedBy }] as const),
  ]),
})

/** The reach of an API key: one owner, in its creator's role. */
export const reachOfKey = ({ places }: Reach, ownerId: string): Reach => {
  const place = places.get(ownerId)
  return { home: ownerId, places: new Map(place ? [[ownerId, place]] : []) }
}

/**
 * The reach of a login through a workspace's provider: only that workspace. The provider's operator can sign in as any
 * member who linked it, so such a login never has the role of owner.
 */
export const reachOfProvider = ({ places }: Reach, workspaceId: string): Reach => {
  const place = places.get(workspaceId)
  const role = place?.role === 'owner' ? 'admin' : place?.role
  return { home: workspaceId, places: new Map(place && role ? [[workspaceId, { ...place, role }]] : []) }
}

/** One owner or several, for queries. */
export type Owners = string | readonly string[]

export const belongsTo = (owners: Owners, ownerId: string | undefined): boolean =>
  ownerId !== undefined && listOf(owners).includes(ownerId)

export const listOf = (owners: Owners): string[] => [owners].flat()

export const ownersIn = ({ places }: Reach): string[] => [...places.keys()]

/** The owner that a request names. WORKSPACE_NOT_FOUND, also for workspaces that the caller does not belong to. */
export function ownerNamed({ home, places }: Reach, workspaceId: string | undefined): string {
  const ownerId = workspaceId ?? home
  assertThat(places.has(ownerId), 'WORKSPACE_NOT_FOUND')
  return ownerId
}

/**
 * Refuses actions that the role does not allow (PERMISSION_DENIED). Refuses all but reading in a closed workspace
 * (WORKSPACE_REQUIRED), unless the operation sets `whenClosed`. Call it only for owners that the caller can see.
 */
export function requireAction(reach: Reach, ownerId: string, action: Action, whenClosed = false): void {
  const { role, closedBy } = reach.places.get(ownerId) ?? ({ role: 'viewer', closedBy: 'tier' } as const)
  const message = `You are ${article(role)} ${role} in this workspace. This operation requires the ${rolesFor(action).join(' or ')} role.`
  assertThat(can(role, action), 'PERMISSION_DENIED', { message })
  const isPermitted = closedBy === null || whenClosed || action === 'see'
  assertThat(isPermitted, 'WORKSPACE_REQUIRED', { message: closed(closedBy ?? 'tier') })
}

/**
 * Does work for an owner that a request does not name itself. The caller must have the request's permission there, both
 * now and when a transaction of the work commits. Fails with WORKSPACE_NOT_FOUND, PERMISSION_DENIED, WORKSPACE_REQUIRED.
 */
export type ActFor = <T>(ownerId: string, work: () => Promise<T>) => Promise<T>

/** Whether the role allows the action, regardless of the tier. */
export const mayDo = ({ places }: Reach, ownerId: string, action: Action): boolean => {
  const place = places.get(ownerId)
  return place !== undefined && can(place.role, action)
}

/** The error message for operations that a closed workspace does not allow. */
export const closed = (by: ClosedBy): string =>
  `This workspace is closed because ${causes[by]}. You can still read, export, leave or delete it.`

const causes: Record<ClosedBy, string> = {
  tier: "its owner's tier no longer includes workspaces",
  suspension: "the platform operator has suspended its owner's account",
  deletion: "its owner's account is scheduled for deletion",
}

const article = (role: Role): string => (role === 'owner' || role === 'admin' ? 'an' : 'a')
