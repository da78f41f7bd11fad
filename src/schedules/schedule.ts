import { Row } from '../database/row.ts'

/** An agent's schedule: which generation Temporal has, and how far the ledger reaches (table `schedules`). */
export class Schedule extends Row {
  static override tableName = 'schedules'
  static override idColumn = 'agentId'
  declare agentId: string
  /** Raised by every change that Temporal must know about. */
  declare generation: number
  /** The generation that Temporal has; 0 if unknown. */
  declare syncedGeneration: number
  /** When the current expression, zone and pause took effect. */
  declare inForceSince: Date
  /** Every nominal fire up to here has a ledger row, except those in `owed`. */
  declare recordedUntil: Date
  /** Open fires up to there, ascending: due before the last change and part of the current state too. */
  declare owed: Date[]
  /** The first open or future fire; null if the agent is not scheduled or has no fire within years. */
  declare nextFireAt: Date | null
  /** When it was last compared with Temporal; null requests a comparison now. */
  declare checkedAt: Date | null
}
