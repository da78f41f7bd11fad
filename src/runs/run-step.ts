import type { StepOutcome } from '../loop/judge-answer.ts'
import { Row } from '../database/row.ts'

/** One recorded model call of a run (table `run_steps`). */
export class RunStep extends Row {
  static override tableName = 'run_steps'
  static override idColumn = ['runId', 'step']
  static override anyTexts = ['answer', 'remark']
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
  /** Input tokens that the provider had cached. */
  declare cachedTokens: number | null
  /** In billionths of a USD; null if no price was known. */
  declare costNanoUsd: number | null
  /** Content that its provider wants back unchanged. */
  declare content: string | null
  /** Why the answer did not count, or `summary` for a summary of earlier steps, with a note. */
  declare outcome: StepOutcome
  declare remark: string | null
  /** The answer's value as JSON text, for a run with an output schema; null otherwise. */
  declare output: string | null
}
