/** The tokens of one model call. */
interface Usage {
  inputTokens: number
  outputTokens: number
}

/** Tokens per credit; an output token counts as four input tokens. */
const tokensPerCredit = 10_000
const outputWeight = 4

/** The cost of a model step in whole credits, at least one. */
export const stepCredits = ({ inputTokens, outputTokens }: Usage): number =>
  Math.max(1, Math.ceil((inputTokens + outputWeight * outputTokens) / tokensPerCredit))
