import type { Config } from '../config/config.ts'
import { CodedError } from '../errors.ts'
import type { ChatAnswer } from './chat-answer.ts'

type Used = Pick<ChatAnswer, 'steps' | 'toolCalls' | 'inputTokens' | 'outputTokens' | 'credits'>

/** Fails with MODEL_ERROR if an answer that is not finished has used more than a run may, or if its next step is one too many. */
export function assertWithin(used: Used, budgets: Config['budgets'], steps = used.steps): void {
  const { toolCalls, inputTokens, outputTokens, credits } = used
  if (toolCalls > budgets.toolCalls) throw overBudget(`${budgets.toolCalls} tool calls`)
  if (inputTokens + outputTokens > budgets.tokens) throw overBudget(`${budgets.tokens} tokens`)
  if (credits > budgets.credits) throw overBudget(`${budgets.credits} credits`)
  if (steps > budgets.steps) throw overBudget(`${budgets.steps} steps`)
}

const overBudget = (what: string): CodedError =>
  new CodedError('MODEL_ERROR', {
    message: `The model reached the limit of ${what} for an answer without finishing.`,
    retryable: false,
  })
