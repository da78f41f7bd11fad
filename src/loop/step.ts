import { Row } from '../database/row.ts'
import type { StepOutcome } from './judge.ts'

/** One recorded model call of a run or an answer (table `steps`, partitioned by `subjectId`: every query names it). */
export class Step extends Row {
  static override tableName = 'steps'
  static override idColumn = ['subjectId', 'step']
  static override anyTexts = ['answer', 'remark']
  /** The run, or the answer of a chat. */
  declare subjectId: string
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
  /** Of an answer: how many bytes of its prompt were one token; null if nobody has counted. */
  declare bytesPerToken: number | null
  /**
   * Of an answer: up to which exchange of its conversation its prompt had shortened results, and up to which it had
   * nothing. A summary covers what is left out.
   */
  declare shortenedThrough: number | null
  declare leftOutThrough: number | null
}
