import type { Step } from '../loop/step.ts'

/** Whether readers are told of a step: not of one whose answer was corrected, nor of a summary. */
export const isTold = ({ outcome }: Pick<Step, 'outcome'>): boolean => outcome === null || outcome === 'refused'
