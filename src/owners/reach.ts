import { assertThat } from '../errors.ts'
import { can, rolesFor, type Action, type Role } from './roles.ts'

/** Why a workspace is closed: its owner's tier does not include workspaces, or the account is suspended or to be deleted. */
export type ClosedBy = 'tier' | 'suspension' | 'deletion'

/** Of several causes, the one that the owner can do least about. */
export function closingCause(owner: { isSuspended: boolean; isClosing: boolean; hasTier: boolean }): ClosedBy | null {
  if (owner.isSuspended) return 'suspension'
  if (owner.isClosing) return 'deletion'
  return owner.hasTier ? null : 'tier'
}

/** What one is at one owner. */
export interface Place {
  role: Role
  /** Why the owner's things may only be read; null if they may be used and changed. */
  closedBy: ClosedBy | null
}

/** The owners whose things a caller may see: one’s own, and the workspaces that one is a member of. */
export interface Reach {
  /** Where things are, if no workspace is named. */
  home: string
  places: ReadonlyMap<string, Place>
}

/** A workspace that somebody is a member of, as it is read with the caller. */
export interface Membership {
  workspaceId: string
  role: Role
  closedBy: ClosedBy | null
}

/** The reach of a user: everything that is theirs, and their workspaces. */
export const reachOf = (userId: string, memberships: readonly Membership[]): Reach => ({
  home: userId,
  places: new Map<string, Place>([
    [userId, { role: 'owner', closedBy: null }],
    ...memberships.map(({ workspaceId, role, closedBy }) => [workspaceId, { role, closedBy }] as const),
  ]),
})

/** The reach of an API key: one owner, in the role that its maker has there. */
export const reachOfKey = ({ places }: Reach, ownerId: string): Reach => {
  const place = places.get(ownerId)
  return { home: ownerId, places: new Map(place ? [[ownerId, place]] : []) }
}

/**
 * The reach of a login by the provider of a workspace: that workspace alone. Whoever runs the provider can sign in as any
 * member who has linked it, and is not to be the owner by that.
 */
export const reachOfProvider = ({ places }: Reach, workspaceId: string): Reach => {
  const place = places.get(workspaceId)
  const role = place?.role === 'owner' ? 'admin' : place?.role
  return { home: workspaceId, places: new Map(place && role ? [[workspaceId, { ...place, role }]] : []) }
}

/** One owner or several: whose things are looked for. */
export type Owners = string | readonly string[]

/** Whether something belongs to one of the owners. */
export const belongsTo = (owners: Owners, ownerId: string | undefined): boolean =>
  ownerId !== undefined && listOf(owners).includes(ownerId)

export const listOf = (owners: Owners): string[] => [owners].flat()

export const ownersIn = ({ places }: Reach): string[] => [...places.keys()]

/** The owner that a request is about. WORKSPACE_NOT_FOUND, also for a workspace that one is no member of. */
export function ownerNamed({ home, places }: Reach, workspaceId: string | undefined): string {
  const ownerId = workspaceId ?? home
  assertThat(places.has(ownerId), 'WORKSPACE_NOT_FOUND')
  return ownerId
}

/**
 * Refuses what the role does not permit (PERMISSION_DENIED), and all but reading in a workspace whose owner lacks the team
 * tier (WORKSPACE_REQUIRED), unless the operation is for `whenClosed`, too. Only for owners that one can see.
 */
export function requireAction(reach: Reach, ownerId: string, action: Action, whenClosed = false): void {
  const { role, closedBy } = reach.places.get(ownerId) ?? ({ role: 'viewer', closedBy: 'tier' } as const)
  const message = `You are ${article(role)} ${role} in this workspace. This requires the role ${rolesFor(action).join(' or ')}.`
  assertThat(can(role, action), 'PERMISSION_DENIED', { message })
  const isPermitted = closedBy === null || whenClosed || action === 'see'
  assertThat(isPermitted, 'WORKSPACE_REQUIRED', { message: closed(closedBy ?? 'tier') })
}

/** Whether the role permits the action, whatever the tier. */
export const mayDo = ({ places }: Reach, ownerId: string, action: Action): boolean => {
  const place = places.get(ownerId)
  return place !== undefined && can(place.role, action)
}

/** The message for any operation that a closed workspace does not permit. */
export const closed = (by: ClosedBy): string =>
  `This workspace is closed because ${causes[by]}. You can still read, export, leave or delete it.`

const causes: Record<ClosedBy, string> = {
  tier: "its owner's tier no longer includes workspaces",
  suspension: "the operator of this platform has suspended its owner's account",
  deletion: "its owner's account is scheduled for deletion",
}

const article = (role: Role): string => (role === 'owner' || role === 'admin' ? 'an' : 'a')
