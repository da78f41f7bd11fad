import type { Api } from '../api/client.ts'

export type Role = Api['Role']
/** The permissions of the API (`needs` of its routes). */
export type Action = 'see' | 'use' | 'build' | 'administer' | 'own'

/**
 * What each role may do. A test compares it with the API's table of roles; the API decides, and this only
 * hides what it would refuse.
 */
const permissions: Record<Role, readonly Action[]> = {
  viewer: ['see'],
  member: ['see', 'use', 'build'],
  admin: ['see', 'use', 'build', 'administer'],
  owner: ['see', 'use', 'build', 'administer', 'own'],
}

export const can = (role: Role, action: Action): boolean => permissions[role].includes(action)
