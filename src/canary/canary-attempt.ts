import { Row } from '../database/row.ts'

/** A delivery that the platform sent to itself (table `canary_attempts`). */
export class CanaryAttempt extends Row {
  static override tableName = 'canary_attempts'
  declare id: string
  declare runId: string | null
  declare sentAt: Date
  declare acceptedAt: Date | null
  declare calledBackAt: Date | null
  /** How long the canary may be without a success at the setting of this attempt. */
  declare patienceSeconds: number
  /** Why the delivery was not accepted. */
  declare refusal: string | null
}
