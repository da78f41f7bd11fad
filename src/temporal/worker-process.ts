import { Row } from '../database/row.ts'

/** A worker process, as it has last described itself (table `workers`). All times are Postgres'. */
export class WorkerProcess extends Row {
  static override tableName = 'workers'
  declare id: string
  declare taskQueue: string
  declare version: string
  /** Whether it was connected to Temporal and asked for work when it was last heard of. */
  declare polling: boolean
  /** When it last did. */
  declare polledAt: Date | null
  declare startedAt: Date
  declare seenAt: Date
}
