import { Row } from '../../database/row.ts'
import type { FireReason, RecordedOutcome } from './fire-reasons.ts'

/** One nominal fire of an agent's schedule and its outcome (table `schedule_fires`). Never changed. */
export class ScheduleFire extends Row {
  static override tableName = 'schedule_fires'
  static override idColumn = ['agentId', 'nominalAt']
  declare agentId: string
  /** The agent's owner at that time. */
  declare ownerId: string
  /** The time that the expression names, however late the fire ran. */
  declare nominalAt: Date
  declare outcome: RecordedOutcome
  /** Null if it ran. */
  declare reason: FireReason | null
  /** The run that it started; for a skipped fire, the run recorded as skipped. */
  declare runId: string | null
  declare recordedAt: Date
}
