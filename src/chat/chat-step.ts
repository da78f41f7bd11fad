import { Row } from '../database/row.ts'
import type { StepOutcome } from '../loop/judge-answer.ts'

/** One recorded model call of an answer (table `chat_steps`). */
export class ChatStep extends Row {
  static override tableName = 'chat_steps'
  static override idColumn = ['answerId', 'step']
  static override anyTexts = ['answer', 'remark']
  declare answerId: string
  declare step: number
  declare model: string
  declare answer: string
  declare finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'
  declare inputTokens: number
  declare outputTokens: number
  declare cachedTokens: number | null
  declare credits: number
  declare costNanoUsd: number | null
  declare latencyMs: number
  /** How many bytes of its prompt were one token; null if nobody has counted. */
  declare bytesPerToken: number | null
  /**
   * Up to which exchange of its conversation its prompt had shortened results, and up to which it had nothing. A summary
   * covers what is left out.
   */
  declare shortenedThrough: number
  declare leftOutThrough: number
  declare recordedAt: Date
  /** What its provider wants back unchanged. */
  declare content: string | null
  declare outcome: StepOutcome
  declare remark: string | null
}

/** Whether an answer is over after this step, which has no calls: its model has finished, or refuses, and no other is asked. */
export const isLast = ({ outcome, model }: ChatStep, answer: { model: string }): boolean =>
  outcome === null || (outcome === 'refused' && model === answer.model)

/** Whether readers are told of a step: not of one whose answer was corrected, nor of a summary. */
export const isTold = ({ outcome }: Pick<ChatStep, 'outcome'>): boolean => outcome === null || outcome === 'refused'
