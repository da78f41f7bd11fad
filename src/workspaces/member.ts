import { Row } from '../database/row.ts'
import type { Role } from '../owners/roles.ts'

/** One person in a workspace (table `members`). */
export class Member extends Row {
  static override tableName = 'members'
  declare id: string
  declare workspaceId: string
  declare userId: string
  declare role: Role
  declare joinedAt: Date
  /** When the offer to own the workspace ends; null without an offer. */
  declare offeredUntil: Date | null
}

/** A member with the address of the user. */
export class NamedMember extends Member {
  declare email: string
}
