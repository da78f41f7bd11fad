import type { Config } from '../config/config.ts'
import { endAfter, longestStreak, type CallIdentity } from './repeated-calls.ts'

export type Budgets = Pick<Config['budgets'], 'steps' | 'toolCalls' | 'tokens' | 'credits'>

/** What a run, or an answer of a chat, has used. */
export interface Used {
  steps: number
  toolCalls: number
  inputTokens: number
  outputTokens: number
  credits: number
}

export type Exceeded = 'REPEATED_TOOL_CALL' | 'BUDGET_TOOL_CALLS' | 'BUDGET_TOKENS' | 'BUDGET_CREDITS'

/**
 * What a run or an answer that has not finished has used more of than it may: then none of its calls is made, and the
 * model is not asked again.
 *
 * @param calls the last ones, as many as the check for repetition needs
 */
export function exceededBudget(used: Used, calls: CallIdentity[], budgets: Budgets): Exceeded | undefined {
  if (longestStreak(calls) >= endAfter) return 'REPEATED_TOOL_CALL'
  if (used.toolCalls > budgets.toolCalls) return 'BUDGET_TOOL_CALLS'
  if (used.inputTokens + used.outputTokens > budgets.tokens) return 'BUDGET_TOKENS'
  return used.credits > budgets.credits ? 'BUDGET_CREDITS' : undefined
}

/** Whether the model may be asked once more. */
export const hasStepLeft = ({ steps }: Pick<Used, 'steps'>, budgets: Pick<Budgets, 'steps'>): boolean =>
  steps < budgets.steps
