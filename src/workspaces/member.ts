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
  /** Until when the member can take the workspace over; null without an offer. */
  declare offeredUntil: Date | null
}

/** With the address that people know them by. */
export class NamedMember extends Member {
  declare email: string
}
