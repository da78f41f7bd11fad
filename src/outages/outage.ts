import { Row } from '../database/row.ts'

/** A period in which nobody could use a configured model (table `model_outages`). */
export class Outage extends Row {
  static override tableName = 'model_outages'
  declare id: string
  declare model: string
  /** Its AI provider; null if the model is not configured. */
  declare provider: string | null
  declare beganAt: Date
  /** null while it lasts. */
  declare endedAt: Date | null
  declare lastFailedAt: Date
  declare nextProbeAt: Date
  /** The problem, in the platform's words. */
  declare message: string
  /** The provider's error without secrets; only operators see it. */
  declare providerSaid: string | null
}

export const isOpen = { endedAt: null } as const
