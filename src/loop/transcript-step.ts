import type { TranscriptStep } from '../models/prompt.ts'

/** A recorded step as its model is shown it. */
export type ShownStep = TranscriptStep & { step: number }

/** The length of a step's texts, in characters. */
export const lengthOfStep = ({ text, content, calls }: TranscriptStep): number =>
  calls.reduce(
    (total, call) => total + call.arguments.length + call.outcome.text.length,
    text.length + (content?.length ?? 0),
  )
