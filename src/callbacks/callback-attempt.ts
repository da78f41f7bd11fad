import { Row } from '../database/row.ts'

/** One attempt to post a callback (table `callback_attempts`), without headers and bodies. */
export class CallbackAttempt extends Row {
  static override tableName = 'callback_attempts'
  static override idColumn = ['callbackId', 'attempt']
  declare callbackId: string
  /** From 1. A number is missing if its process died. */
  declare attempt: number
  declare at: Date
  declare httpStatus: number | null
  /** One sentence for the owner. */
  declare outcome: string
  declare latencyMs: number
}
