/** What the steps of a run, or of an answer in a chat, have used, and how many there were. */
export interface Used {
  credits: number
  steps: number
}

/**
 * What a step will probably use: as much as the steps before on average, rounded up, and 1 at least. A first step is
 * taken for a cheap one.
 */
export const estimateOf = ({ credits, steps }: Used): number =>
  Math.max(1, Math.ceil(steps === 0 ? 0 : credits / steps))
