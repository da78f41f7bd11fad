import { Row } from '../database/row.ts'

/** A host of tools, if there is something to record about it (table `outgoing_hosts`). */
export class OutgoingHost extends Row {
  static override tableName = 'outgoing_hosts'
  static override idColumn = 'host'
  /** The name, with its port if each port counts separately. */
  declare host: string
  /** The end of the hold that the host asked for, and how it asked. */
  declare heldUntil: Date | null
  declare heldReason: string | null
  /** Since when it is suspended, and by which admin. */
  declare suspendedAt: Date | null
  declare suspendedBy: string | null
  declare suspendedReason: string | null
  /** How many calls a minute an admin allows; null for OUTGOING_PER_MINUTE. */
  declare callsPerMinute: number | null
  /** How many its manifest asks for, and when it last did. */
  declare proposedPerMinute: number | null
  declare proposedAt: Date | null
}
