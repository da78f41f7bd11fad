import { Row } from '../database/row.ts'

/** What Temporal has to be told of an agent's schedule, and how far its ledger reaches (table `schedules`). */
export class Schedule extends Row {
  static override tableName = 'schedules'
  static override idColumn = 'agentId'
  declare agentId: string
  /** Raised by every change of what Temporal must know. */
  declare generation: number
  /** The generation that Temporal is known to have. */
  declare syncedGeneration: number
  /** Since when the present expression, zone and pause are in force. */
  declare inForceSince: Date
  /** Every nominal fire up to here has its row in the ledger, but for those that are owed. */
  declare recordedUntil: Date
  /** Fires up to there that are still open, ascending: due before the last change, and fires of the present state too. */
  declare owed: Date[]
  /** The first fire that is open or to come; null while the agent is not scheduled, or if there is none within years. */
  declare nextFireAt: Date | null
  /** When it was last compared with what Temporal has; null asks for it to be done now. */
  declare checkedAt: Date | null
}
