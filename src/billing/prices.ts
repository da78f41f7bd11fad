/** One model call: its tokens, and its cost in billionths of a USD if a price is known. */
interface Charged {
  inputTokens: number
  outputTokens: number
  nanoUsd: number | undefined
}

/** The largest value of the column. */
const maxCredits = 2_147_483_647

/** Tokens per credit for a model that is free or has no known price. An output token counts as four input tokens. */
const tokensPerCredit = 10_000
const outputWeight = 4

/** The cost of a model step in whole credits, at least one. `creditUsd` is the value of a credit. */
export function stepCredits({ inputTokens, outputTokens, nanoUsd }: Charged, creditUsd: number): number {
  const exact = nanoUsd ? nanoUsd / (creditUsd * 1e9) : (inputTokens + outputWeight * outputTokens) / tokensPerCredit
  return Math.min(Math.max(1, Math.ceil(exact)), maxCredits)
}

/** The total cost of calls in billionths of a USD; null (unknown) if one is unknown. */
export const costWith = (before: number | null, cost: { nanoUsd: number } | undefined): number | null =>
  before === null || cost === undefined ? null : before + cost.nanoUsd
