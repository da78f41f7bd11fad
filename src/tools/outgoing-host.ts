import { Row } from '../database/row.ts'

/** A host of tools, if there is something to record about it (table `outgoing_hosts`). */
export class OutgoingHost extends Row {
  static override tableName = 'outgoing_hosts'
  static override idColumn = 'host'
  /** The name, with its port if each port counts by itself. */
  declare host: string
  /** The end of the hold that the host asked for, and how it asked. */
  declare heldUntil: Date | null
  declare heldReason: string | null
  /** Since when it is suspended, and by which admin. */
  declare suspendedAt: Date | null
  declare suspendedBy: string | null
  declare suspendedReason: string | null
}
