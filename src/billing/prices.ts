/** One model call: its tokens, and what it cost in billionths of a USD if a price is known. */
interface Charged {
  inputTokens: number
  outputTokens: number
  nanoUsd: number | undefined
}

/** As many as a column holds. */
const maxCredits = 2_147_483_647

/**
 * Of a model without a known price, or that costs nothing: tokens per credit; an output token counts as four input
 * tokens.
 */
const tokensPerCredit = 10_000
const outputWeight = 4

/** The cost of a model step in whole credits, at least one. A credit is so many USD. */
export function stepCredits({ inputTokens, outputTokens, nanoUsd }: Charged, creditUsd: number): number {
  const exact = nanoUsd ? nanoUsd / (creditUsd * 1e9) : (inputTokens + outputWeight * outputTokens) / tokensPerCredit
  return Math.min(Math.max(1, Math.ceil(exact)), maxCredits)
}

/** What calls have cost together, in billionths of a USD; null, which is unknown, if that of one is. */
export const costWith = (before: number | null, cost: { nanoUsd: number } | undefined): number | null =>
  before === null || cost === undefined ? null : before + cost.nanoUsd
