import type { Pojo } from 'objection'
import { fromColumn, mapTexts, toColumn } from '../database/any-text.ts'
import { Row } from '../database/row.ts'

const anyTexts = ['answer']

/** One recorded model call of a run (table `run_steps`). */
export class RunStep extends Row {
  static override tableName = 'run_steps'
  static override idColumn = ['runId', 'step']
  override $parseDatabaseJson(row: Pojo): Pojo {
    return mapTexts(super.$parseDatabaseJson(row), anyTexts, fromColumn)
  }
  override $formatDatabaseJson(row: Pojo): Pojo {
    return super.$formatDatabaseJson(mapTexts(row, anyTexts, toColumn))
  }
  declare runId: string
  declare step: number
  declare model: string
  declare answer: string
  declare finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'
  declare inputTokens: number
  declare outputTokens: number
  declare credits: number
  declare latencyMs: number
  declare recordedAt: Date
}
