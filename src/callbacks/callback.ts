import { Row } from '../database/row.ts'

export const callbackStatuses = ['pending', 'delivered', 'failed'] as const
export type CallbackStatus = (typeof callbackStatuses)[number]

/** A signed request to the owner's URL: posts a run's ending, or without a run the notification that has its id. */
export class Callback extends Row {
  static override tableName = 'callbacks'
  declare id: string
  declare agentId: string | null
  declare ownerId: string
  declare runId: string | null
  /** The owner's URL when the run ended or the notification was made, or at the last manual retry. */
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

/** What a callback posts: a run's ending, or a notification. */
export type Subject = Pick<Callback, 'id' | 'ownerId' | 'agentId' | 'runId'>

/** A callback that posts a run's ending. */
export type OfRun<C extends Subject> = C & { agentId: string; runId: string }

export const isOfRun = <C extends Subject>(callback: C): callback is OfRun<C> => callback.runId !== null
