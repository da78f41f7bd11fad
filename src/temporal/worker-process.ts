import { Row } from '../database/row.ts'

/** A worker process, according to its last report (table `workers`). All times are the database's. */
export class WorkerProcess extends Row {
  static override tableName = 'workers'
  declare id: string
  declare taskQueue: string
  declare version: string
  /** Whether it was connected to Temporal and polling at its last report. */
  declare polling: boolean
  declare polledAt: Date | null
  declare startedAt: Date
  declare seenAt: Date
}
