import { Row } from '../database/row.ts'

/** A call that counts, or has counted, against the limit of its host (table `outgoing_slots`). All times are Postgres'. */
export class OutgoingSlot extends Row {
  static override tableName = 'outgoing_slots'
  declare id: string
  declare host: string
  declare share: string
  declare takenAt: Date
  declare endedAt: Date | null
  /** From when on it does not count any more. */
  declare freeAt: Date
}
