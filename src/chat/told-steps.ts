import type { Step } from '../loop/step.ts'

/** Whether an answer is over after this step, which has no calls: its model has finished, or refuses, and no other is asked. */
export const isLast = ({ outcome, model }: Step, answer: { model: string }): boolean =>
  outcome === null || (outcome === 'refused' && model === answer.model)

/** Whether readers are told of a step: not of one whose answer was corrected, nor of a summary. */
export const isTold = ({ outcome }: Pick<Step, 'outcome'>): boolean => outcome === null || outcome === 'refused'
