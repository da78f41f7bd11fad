/** The roles in a workspace. A user is always `owner` of their own things. */
export const roles = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof roles)[number]

/**
 * What one may do with the things of an owner:
 *
 * - `see`: read everything but secrets
 * - `use`: start runs, chat, call tools, decide approvals
 * - `build`: create, change and delete agents, and what sites are connected; see the secrets of webhooks
 * - `administer`: members, invitations, sign-in, API keys, name and caps, the audit log, exports
 * - `own`: delete the workspace
 */
export const actions = ['see', 'use', 'build', 'administer', 'own'] as const
export type Action = (typeof actions)[number]

/** Each role may do everything that the role above it may do. */
const permissions: Record<Role, readonly Action[]> = {
  viewer: ['see'],
  member: ['see', 'use', 'build'],
  admin: ['see', 'use', 'build', 'administer'],
  owner: ['see', 'use', 'build', 'administer', 'own'],
}

export const can = (role: Role, action: Action): boolean => permissions[role].includes(action)

/** The roles that allow the action, for messages. */
export const rolesFor = (action: Action): Role[] => roles.filter((role) => can(role, action))
