import { Row } from '../database/row.ts'

/** A time in which a configured model could not be used by anybody (table `model_outages`). */
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
  /** What is wrong, in a sentence of the platform. */
  declare message: string
  /** What the provider said, without secrets; for operators alone. */
  declare providerSaid: string | null
}

/** An outage that lasts. */
export const isOpen = { endedAt: null } as const
