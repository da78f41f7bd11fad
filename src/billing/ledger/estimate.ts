/** The usage so far of a run or a chat answer, and its number of steps. */
export interface Used {
  credits: number
  steps: number
  inputTokens: number
  outputTokens: number
}

/** The assumed tokens of a first step: what one credit buys of a model without a price. */
const firstTokens = 10_000

/**
 * The expected cost of a step: the average of earlier steps, rounded up, at least 1. A first step is assumed to be
 * cheap.
 */
export const estimateOf = ({ credits, steps }: Pick<Used, 'credits' | 'steps'>): number =>
  Math.max(1, Math.ceil(steps === 0 ? 0 : credits / steps))

/** The same in tokens. */
export const tokensOf = ({ inputTokens, outputTokens, steps }: Omit<Used, 'credits'>): number =>
  steps === 0 ? firstTokens : Math.max(1, Math.ceil((inputTokens + outputTokens) / steps))
