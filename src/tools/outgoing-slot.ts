import { Row } from '../database/row.ts'

/** A slot of a host limit, in use or expired (table `outgoing_slots`). All times are the database's. */
export class OutgoingSlot extends Row {
  static override tableName = 'outgoing_slots'
  declare id: string
  declare host: string
  declare share: string
  declare takenAt: Date
  declare endedAt: Date | null
  declare freeAt: Date
}
