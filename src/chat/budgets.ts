import type { Config } from '../config/config.ts'
import { CodedError } from '../errors.ts'
import { endAfter, longestStreak, type CallIdentity } from '../loop/repeated-calls.ts'
import type { ChatAnswer } from './chat-answer.ts'

type Used = Pick<ChatAnswer, 'steps' | 'toolCalls' | 'inputTokens' | 'outputTokens' | 'credits'>

/**
 * Fails with MODEL_ERROR if an answer that is not finished has used more than a run may, or if its next step is one too
 * many.
 */
export function assertWithin(used: Used, budgets: Config['budgets'], steps = used.steps): void {
  const { toolCalls, inputTokens, outputTokens, credits } = used
  if (toolCalls > budgets.toolCalls) throw overBudget(`${budgets.toolCalls} tool calls`)
  if (inputTokens + outputTokens > budgets.tokens) throw overBudget(`${budgets.tokens} tokens`)
  if (credits > budgets.credits) throw overBudget(`${budgets.credits} credits`)
  if (steps > budgets.steps) throw overBudget(`${budgets.steps} steps`)
}

/** Fails with MODEL_ERROR if the model asks for the same call over and over. */
export function assertNotRepeating(calls: CallIdentity[]): void {
  if (longestStreak(calls) >= endAfter) throw unusable(`The model made the same tool call ${endAfter} times in a row.`)
}

const overBudget = (what: string): CodedError =>
  unusable(`The model reached the limit of ${what} for an answer without finishing.`)

const unusable = (message: string): CodedError => new CodedError('MODEL_ERROR', { message, retryable: false })
