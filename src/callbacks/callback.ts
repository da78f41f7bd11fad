import { Row } from '../database/row.ts'

export const callbackStatuses = ['pending', 'delivered', 'failed'] as const
export type CallbackStatus = (typeof callbackStatuses)[number]

/** The ending of a run that is posted to an owner's address (table `callbacks`). */
export class Callback extends Row {
  static override tableName = 'callbacks'
  declare id: string
  declare agentId: string
  declare ownerId: string
  declare runId: string
  /** The agent's address when the run ended, or at the owner's last retry. */
  declare url: string
  declare status: CallbackStatus
  /** All attempts begun, including those whose process died before recording them. */
  declare attempts: number
  /** Attempts since the run ended, or since the owner's last retry. */
  declare tries: number
  declare giveUpAt: Date
  /** When a pending one is tried next; during an attempt, when others may take over. */
  declare nextAt: Date | null
  declare createdAt: Date
  declare endedAt: Date | null
}
