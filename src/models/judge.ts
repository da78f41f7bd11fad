import type { Answer } from './answer.ts'
import type { StepProblem } from './prompt-format.ts'

/** How often in a row a model is told what is wrong with its answer. */
export const maxCorrections = 1

/** Why an answer does not count, and the details that the model is told; undefined if it counts. */
export interface Verdict {
  outcome: StepProblem
  remark: string | null
}

/** Judges an answer. One with calls always counts: what is wrong with a call is the call's result. */
export function judge({ calls, finish, text }: Pick<Answer, 'calls' | 'finish' | 'text'>): Verdict | undefined {
  if (calls.length > 0) return undefined
  if (finish === 'content-filter') return { outcome: 'refused', remark: null }
  if (finish === 'length') return { outcome: 'truncated', remark: null }
  if (text.trim() === '') return { outcome: 'empty', remark: null }
  return undefined
}
