/** What one model call used. */
interface Usage {
  inputTokens: number
  outputTokens: number
}

/** Tokens that one credit pays for; a token that the model wrote counts as four that it read. */
const tokensPerCredit = 10_000
const outputWeight = 4

/** What a model step costs, in whole credits; at least one. */
export const stepCredits = ({ inputTokens, outputTokens }: Usage): number =>
  Math.max(1, Math.ceil((inputTokens + outputWeight * outputTokens) / tokensPerCredit))
