import type { CallFacts } from '../record.ts'

/**
 * How often a step's model call is begun before the run fails, or its fallback model is asked. Crashes count, or one
 * could repeat forever; aborted calls do not, because stopping a worker is not the call's fault.
 */
export const maxAttempts = 4

/**
 * How often in a row a step's attempts may be used up although its model answers others; then the failure is the answer to
 * this very prompt.
 */
export const mostRounds = 3

/** An attempt at a step: its number on the timeline, how many attempts count, and the model that is asked. */
export interface Attempt {
  step: number
  attempt: number
  counted: number
  begunAt: Date
  model: string
  /** The calls before the step, as far as the rules look back. All of them are over. */
  callsBefore: CallFacts[]
}
