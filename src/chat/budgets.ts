import type { Database } from '../database/database.ts'
import { CodedError } from '../errors.ts'
import { exceededBudget, hasStepLeft, type Budgets, type Exceeded } from '../loop/budgets.ts'
import { lastCalls } from '../loop/last-calls.ts'
import { endAfter } from '../loop/repeated-calls.ts'
import type { ChatAnswer } from './chat-answer.ts'

/** Fails with MODEL_ERROR if an answer that has not finished has used more than a run may. */
export async function assertWithin(database: Database, answer: ChatAnswer, budgets: Budgets): Promise<void> {
  const calls = await lastCalls(database, answer.id, answer.steps).select('name', 'arguments')
  const exceeded = exceededBudget(answer, calls, budgets)
  if (exceeded) throw budgetError(exceeded, budgets)
}

/** Fails with MODEL_ERROR if an answer may have no further step. */
export function assertStepLeft(answer: Pick<ChatAnswer, 'steps'>, budgets: Budgets): void {
  if (!hasStepLeft(answer, budgets)) throw budgetError('BUDGET_STEPS', budgets)
}

/** The error of an answer that has used up a budget. */
export function budgetError(exceeded: Exceeded | 'BUDGET_STEPS', budgets: Budgets): CodedError {
  return new CodedError('MODEL_ERROR', { message: sentenceOf(exceeded, budgets), retryable: false })
}

function sentenceOf(exceeded: Exceeded | 'BUDGET_STEPS', budgets: Budgets): string {
  if (exceeded === 'REPEATED_TOOL_CALL') return `The model made the same tool call ${endAfter} times in a row.`
  const limits = {
    BUDGET_STEPS: `${budgets.steps} steps`,
    BUDGET_TOOL_CALLS: `${budgets.toolCalls} tool calls`,
    BUDGET_TOKENS: `${budgets.tokens} tokens`,
    BUDGET_CREDITS: `${budgets.credits} credits`,
  }
  return `The model reached the limit of ${limits[exceeded]} for an answer without finishing.`
}
