import { Row } from '../database/row.ts'

/** A host of tools with recorded state (table `outgoing_hosts`). */
export class OutgoingHost extends Row {
  static override tableName = 'outgoing_hosts'
  static override idColumn = 'host'
  /** The name, with its port if ports count separately. */
  declare host: string
  /** The end of the hold that the host requested, and the request. */
  declare heldUntil: Date | null
  declare heldReason: string | null
  /** Since when it is suspended, and by which admin. */
  declare suspendedAt: Date | null
  declare suspendedBy: string | null
  declare suspendedReason: string | null
  /** Calls per minute that an admin allows; null for OUTGOING_PER_MINUTE. */
  declare callsPerMinute: number | null
  /** Calls per minute that its manifest proposes, and the time of the last proposal. */
  declare proposedPerMinute: number | null
  declare proposedAt: Date | null
}
