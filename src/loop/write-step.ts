import type { ApprovalRequest, Approvals, CallToApprove } from '../approvals/approvals.ts'
import type { Billing } from '../billing/billing.ts'
import { costWith, stepCredits } from '../billing/prices.ts'
import type { Config } from '../config/config.ts'
import { afterCommit } from '../database/after-commit.ts'
import type { Transaction } from '../database/database.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { StepResult } from '../models/models.ts'
import type { Cost } from '../models/prices.ts'
import type { Usage } from '../models/usage.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { isGivenUp, outcomeOf, type Judgement } from './judge.ts'
import { planCalls, type CheckedCall, type Plan } from './plan-calls.ts'
import { Step } from './step.ts'

/** What a model call has used, and its cost if a price is known. */
export type Used = Usage & { cost: Cost | undefined }

/** What a run or an answer has paid for so far. */
interface Counters {
  inputTokens: number
  outputTokens: number
  cachedTokens: number | null
  credits: number
  costNanoUsd: number | null
}

/** What a run or an answer has come to so far; with how many answers in a row did not count. */
interface Progress extends Counters {
  toolCalls: number
  corrections: number | null
}

/** Whose step is charged; `failedAttempt` if its answer came to nothing. */
type ChargedStep = Omit<Parameters<Billing['credits']['chargeStep']>[1], 'credits' | 'tokens' | 'cost'>

/** Charges steps and failed attempts, in the transactions that record them. */
export function createCharge({
  config,
  billing,
  metrics,
}: {
  config: Pick<Config, 'creditUsd'>
  billing: Pick<Billing, 'credits'>
  metrics: Pick<Metrics, 'tokens' | 'credits'>
}) {
  function count({ inputTokens, outputTokens, cachedTokens }: Used, credits: number): void {
    metrics.tokens.inc({ kind: 'input' }, inputTokens)
    metrics.tokens.inc({ kind: 'output' }, outputTokens)
    metrics.tokens.inc({ kind: 'cached' }, cachedTokens)
    metrics.credits.inc(credits)
  }

  /** Returns the credits, and the counters that follow those of `before`. */
  return async (trx: Transaction, of: ChargedStep, before: Counters, used: Used) => {
    const { cost } = used
    const credits = stepCredits({ ...used, nanoUsd: cost?.nanoUsd }, config.creditUsd)
    const tokens = used.inputTokens + used.outputTokens
    const { isNew } = await billing.credits.chargeStep(trx, { ...of, credits, tokens, cost })
    if (isNew) afterCommit(trx, () => count(used, credits))
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

/** A run or an answer whose step is written. Its row is locked. */
export interface StepOf {
  subjectId: string
  charged: ChargedStep
  /** What it has used before the step. */
  before: Progress
  /** Who asks for approvals: in the record, and as the start of a sentence. */
  asks: { of: ApprovalRequest['of']; asker: () => string | Promise<string> }
}

/** What a model has answered, what was made of it, and at what cost. */
type Answered = Omit<StepResult, 'calls'> &
  Judgement & { isSummary: boolean; calls: CheckedCall[]; cost: Cost | undefined }

/** What is recorded of a step besides its model's answer. */
type Recorded = Partial<Pick<Step, 'bytesPerToken' | 'shortenedThrough' | 'leftOutThrough'>>

/**
 * Writes steps: each with its charge, a row for each tool call that the model requested, and the requests for their
 * approval. It is one transaction, so nobody is asked twice.
 */
export function createWriteStep(context: {
  config: Pick<Config, 'creditUsd'>
  billing: Pick<Billing, 'credits'>
  approvals: Pick<Approvals, 'request'>
  metrics: Pick<Metrics, 'tokens' | 'credits' | 'toolCalls'>
}) {
  const { approvals, metrics } = context
  const charge = createCharge(context)

  async function ask(trx: Transaction, { charged, asks }: StepOf, calls: CallToApprove[], expiresAt: Date) {
    if (calls.length === 0) return []
    const { ownerId } = charged
    return approvals.request(trx, { ownerId, of: asks.of, asker: await asks.asker(), calls, expiresAt })
  }

  /**
   * Returns the counters after the step, whether its model is given up after it, its calls, and the approvals that were
   * asked for.
   */
  return async (
    trx: Transaction,
    of: StepOf,
    answer: Answered,
    recorded: Recorded,
    plan: Omit<Plan, 'step' | 'calls'>,
  ) => {
    const { subjectId, charged, before } = of
    const { step } = charged
    const { verdict } = answer
    const { counters: paid, credits } = await charge(trx, charged, before, answer)
    const row = { ...stepRow(answer), ...recorded, subjectId, step, credits, recordedAt: plan.now }
    await Step.query(trx).insert(row)
    const { planned, toApprove } = planCalls({ ...plan, step, calls: answer.calls })
    const calls = planned.map((call) => ({
      ...call,
      subjectId,
      waitCause: call.asksFirst ? ('approval' as const) : null,
      notBefore: call.asksFirst ? plan.mayAskUntil : null,
    }))
    if (calls.length > 0) await ToolCall.query(trx).insert(calls)
    const failed = calls.filter(({ status }) => status === 'failed')
    afterCommit(trx, () => {
      for (const { effect, status: outcome } of failed) metrics.toolCalls.inc({ effect, outcome })
    })
    const counters = { ...paid, steps: step, ...progressAfter(before, answer) }
    const isModelGivenUp = verdict !== undefined && isGivenUp(verdict.outcome, counters.corrections ?? 0)
    return { counters, isModelGivenUp, calls, asked: await ask(trx, of, toApprove, plan.mayAskUntil) }
  }
}

/** Nothing is written of corrections while there are none. */
const progressAfter = ({ toolCalls, corrections }: Progress, { verdict, calls }: Answered) => ({
  toolCalls: toolCalls + calls.length,
  ...(verdict ? { corrections: (corrections ?? 0) + 1 } : corrections && { corrections: 0 }),
})

const stepRow = (answer: Answered) => ({
  model: answer.model,
  answer: answer.text,
  outcome: outcomeOf(answer),
  remark: answer.verdict?.remark ?? null,
  output: answer.output,
  finish: answer.finish,
  inputTokens: answer.inputTokens,
  outputTokens: answer.outputTokens,
  cachedTokens: answer.cachedTokens > 0 ? answer.cachedTokens : null,
  costNanoUsd: answer.cost?.nanoUsd ?? null,
  content: answer.content,
  latencyMs: answer.latencyMs,
})
