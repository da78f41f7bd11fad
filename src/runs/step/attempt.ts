import type { CallFacts } from '../record.ts'

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
