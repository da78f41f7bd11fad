import { Row } from '../database/row.ts'

/** One recorded model call of a run (table `run_steps`). */
export class RunStep extends Row {
  static override tableName = 'run_steps'
  static override idColumn = ['runId', 'step']
  static override jsonAttributes = ['answer']
  declare runId: string
  declare step: number
  declare model: string
  /** Wrapped in an object, because objection would parse a bare JSON string again. */
  declare answer: { text: string }
  declare finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'
  declare inputTokens: number
  declare outputTokens: number
  declare credits: number
  declare latencyMs: number
  declare recordedAt: Date
}
