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
  /** As the agent named it when the run ended, or when another attempt was asked for. */
  declare url: string
  declare status: CallbackStatus
  /** All that were begun; of those that a process did not live to record nothing else is known. */
  declare attempts: number
  /** Those since the run ended, or since the owner asked for more. */
  declare tries: number
  declare giveUpAt: Date
  /** When a pending one is tried next; while it is being tried, when others may take over. */
  declare nextAt: Date | null
  declare createdAt: Date
  declare endedAt: Date | null
}
