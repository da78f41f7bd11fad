import { ModelError } from '../models/failures.ts'
import type { Answer } from '../models/answer.ts'
import { judgeAnswer } from '../models/judge-answer.ts'
import type { StepProblem } from '../models/prompt-format.ts'

/**
 * What is wrong with an answer without calls, or null. An answer that was cut off at its limit is shown as it is: its
 * reader sees why it ends. An empty answer is a MODEL_ERROR.
 */
export function judgeChat(answer: Answer): StepProblem | null {
  const verdict = judgeAnswer(answer)
  if (!verdict || answer.text.trim() !== '') return null
  if (verdict.outcome === 'refused') return 'refused'
  throw new ModelError({
    message: 'The AI provider returned an empty response.',
    retryable: true,
    privateDetail: `empty answer, finish ${answer.finish}`,
    usage: answer,
  })
}
