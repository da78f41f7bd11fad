import { CodedError } from '../errors.ts'
import type { Answer } from '../models/answer.ts'
import type { StepProblem } from '../models/prompt-format.ts'

/** Why the answer of a step does not count as one, or that it is a summary; null if it counts. */
export type StepOutcome = StepProblem | 'summary' | null

/** How many times in a row a model is asked to correct its answer. */
export const maxCorrections = 1

/** Why an answer is rejected, with the details for the model; undefined if it is accepted. */
export interface Verdict {
  outcome: StepProblem
  remark: string | null
}

/**
 * Whether another model is asked, after so many answers in a row that were rejected. Another one would not make an answer
 * fit a schema.
 */
export const isGivenUp = (outcome: StepProblem, corrections: number): boolean =>
  outcome === 'refused' || (outcome !== 'off_schema' && corrections > maxCorrections)

/** What is recorded of how an answer was judged. */
export const outcomeOf = ({ isSummary, verdict }: { isSummary: boolean; verdict: Verdict | undefined }): StepOutcome =>
  isSummary ? 'summary' : (verdict?.outcome ?? null)

/**
 * Whether a run or an answer is over after a step without calls. Another model that is asked from then on begins anew. One
 * that refused is not asked again.
 */
export const isOver = (
  outcome: StepOutcome,
  { corrections, isOtherAsked }: { corrections: number | null; isOtherAsked: boolean },
): boolean =>
  outcome === null ||
  (outcome !== 'summary' && !isOtherAsked && (outcome === 'refused' || (corrections ?? 0) > maxCorrections))

/** The failure of a model that has answered, although not with anything that counts. */
export const noAnswer = (): CodedError =>
  new CodedError('MODEL_ERROR', { message: 'The AI provider returned an empty response.', retryable: true })

/** Judges an answer. An answer with calls is always accepted: a problem with a call becomes its result. */
export function judgeAnswer({ calls, finish, text }: Pick<Answer, 'calls' | 'finish' | 'text'>): Verdict | undefined {
  if (calls.length > 0) return undefined
  if (finish === 'content-filter') return { outcome: 'refused', remark: null }
  if (finish === 'length') return { outcome: 'truncated', remark: null }
  if (text.trim() === '') return { outcome: 'empty', remark: null }
  return undefined
}
