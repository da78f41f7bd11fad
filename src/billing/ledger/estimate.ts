/** What the steps of a run, or of an answer in a chat, have used, and how many there were. */
export interface Used {
  credits: number
  steps: number
  inputTokens: number
  outputTokens: number
}

/** What a first step is taken to read and write: as much as a credit buys of a model without a price. */
const firstTokens = 10_000

/**
 * What a step will probably use: as much as the steps before on average, rounded up, and 1 at least. A first step is
 * taken for a cheap one.
 */
export const estimateOf = ({ credits, steps }: Pick<Used, 'credits' | 'steps'>): number =>
  Math.max(1, Math.ceil(steps === 0 ? 0 : credits / steps))

/** The same in tokens. */
export const tokensOf = ({ inputTokens, outputTokens, steps }: Omit<Used, 'credits'>): number =>
  steps === 0 ? firstTokens : Math.max(1, Math.ceil((inputTokens + outputTokens) / steps))
