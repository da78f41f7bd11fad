import type { Billing } from '../billing/billing.ts'
import { costWith, stepCredits } from '../billing/prices.ts'
import type { Config } from '../config/config.ts'
import type { Transaction } from '../database/database.ts'
import type { StepResult } from '../models/models.ts'
import type { Cost } from '../models/prices.ts'
import type { Usage } from '../models/usage.ts'

/** What a model call has used, and its cost if a price is known. */
export type Used = Usage & { cost: Cost | undefined }

/** What a run or an answer has used so far. */
interface Counters {
  inputTokens: number
  outputTokens: number
  cachedTokens: number | null
  credits: number
  costNanoUsd: number | null
}

/** Whose step is charged; `failedAttempt` if its answer came to nothing. */
type ChargedStep = Omit<Parameters<Billing['credits']['chargeStep']>[1], 'credits' | 'tokens' | 'cost'>

/** Charges steps and failed attempts, in the transactions that record them. */
export function createCharge({
  config,
  billing,
}: {
  config: Pick<Config, 'creditUsd'>
  billing: Pick<Billing, 'credits'>
}) {
  /** Returns the credits, and the counters that follow those of `before`. */
  return async (trx: Transaction, of: ChargedStep, before: Counters, used: Used) => {
    const { cost } = used
    const credits = stepCredits({ ...used, nanoUsd: cost?.nanoUsd }, config.creditUsd)
    await billing.credits.chargeStep(trx, { ...of, credits, tokens: used.inputTokens + used.outputTokens, cost })
    return { credits, counters: countersAfter(before, used, credits) }
  }
}

/** The cached tokens of one that has none stay as they are. */
const countersAfter = (before: Counters, used: Used, credits: number) => ({
  inputTokens: before.inputTokens + used.inputTokens,
  outputTokens: before.outputTokens + used.outputTokens,
  credits: before.credits + credits,
  ...(used.cachedTokens > 0 && { cachedTokens: (before.cachedTokens ?? 0) + used.cachedTokens }),
  costNanoUsd: costWith(before.costNanoUsd, used.cost),
})

/** The row of a step, but for whose it is. */
export const stepRow = <Outcome>(
  answer: Omit<StepResult, 'calls'> & { cost: Cost | undefined },
  of: { step: number; outcome: Outcome; remark: string | null; credits: number; recordedAt: Date },
) => ({
  ...of,
  model: answer.model,
  answer: answer.text,
  finish: answer.finish,
  inputTokens: answer.inputTokens,
  outputTokens: answer.outputTokens,
  cachedTokens: answer.cachedTokens > 0 ? answer.cachedTokens : null,
  costNanoUsd: answer.cost?.nanoUsd ?? null,
  content: answer.content,
  latencyMs: answer.latencyMs,
})
