import { Row } from '../database/row.ts'
import type { Role } from '../owners/roles.ts'

/** The roles that an invitation can give. */
export const invitedRoles = ['admin', 'member', 'viewer'] as const satisfies readonly Role[]
export type InvitedRole = (typeof invitedRoles)[number]

/** An invitation of an address (table `invitations`). Only the hash of its token is stored. */
export class Invitation extends Row {
  static override tableName = 'invitations'
  declare id: string
  declare workspaceId: string
  declare invitedBy: string
  declare email: string
  declare role: InvitedRole
  declare tokenHash: string
  declare createdAt: Date
  declare expiresAt: Date
  /** When it was accepted, withdrawn or replaced. */
  declare endedAt: Date | null
  declare acceptedBy: string | null
}
