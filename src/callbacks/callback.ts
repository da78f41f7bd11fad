import { Row } from '../database/row.ts'

export const callbackStatuses = ['pending', 'delivered', 'failed'] as const
export type CallbackStatus = (typeof callbackStatuses)[number]

/** The callback that posts a run's ending to the owner's URL (table `callbacks`). */
export class Callback extends Row {
  static override tableName = 'callbacks'
  declare id: string
  declare agentId: string
  declare ownerId: string
  declare runId: string
  /** The agent's callback URL when the run ended, or at the last manual retry. */
  declare url: string
  declare status: CallbackStatus
  /** All attempts that began, including those whose process died. */
  declare attempts: number
  /** Attempts since the run ended, or since the last manual retry. */
  declare tries: number
  declare giveUpAt: Date
  /** When a pending callback is tried next. During an attempt: when other processes may take over. */
  declare nextAt: Date | null
  declare createdAt: Date
  declare endedAt: Date | null
}
