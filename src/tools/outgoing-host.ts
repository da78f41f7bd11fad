import { Row } from '../database/row.ts'

/** A host that tools are called at, as far as there is something to know of it (table `outgoing_hosts`). */
export class OutgoingHost extends Row {
  static override tableName = 'outgoing_hosts'
  static override idColumn = 'host'
  /** `hostname` or `hostname:port`, as `new URL(...).host` gives it. */
  declare host: string
  /** Until when the host itself wants no calls, and how it said so. */
  declare heldUntil: Date | null
  declare heldReason: string | null
  /** Since when it is not called at all, and by which admin's decision. */
  declare suspendedAt: Date | null
  declare suspendedBy: string | null
  declare suspendedReason: string | null
}
