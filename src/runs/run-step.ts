import type { StepProblem } from '../models/prompt-format.ts'
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
  /** The part of the input tokens that the provider had in its cache. */
  declare cachedTokens: number | null
  /** In billionths of a USD; null if no price was known. */
  declare costNanoUsd: number | null
  /** What its provider wants back unchanged. */
  declare content: string | null
  /** Why the answer did not count, or that it is a summary of earlier steps; and what is said of it. */
  declare outcome: StepProblem | 'summary' | null
  declare remark: string | null
  /** The answer as the value that its run has to have, as JSON text; null if it need not have one. */
  declare output: string | null
}
