/**
 * Up to which step of a run, or exchange of a chat, a model sees results shortened, and up to which it sees nothing; 0 for
 * none.
 */
export interface Cuts {
  shortenedThrough: number
  leftOutThrough: number
}

export const noCuts: Cuts = { shortenedThrough: 0, leftOutThrough: 0 }

export const isFurther = (one: Cuts, other: Cuts): boolean =>
  one.shortenedThrough > other.shortenedThrough || one.leftOutThrough > other.leftOutThrough

/** The size of a step as it is shown now, and with its results shortened. */
interface StepSize {
  step: number
  whole: number
  shortened: number
  hasCalls: boolean
}

/** The sizes of a prompt: of what is never cut, and of the steps that are shown, oldest first. */
export interface Sizes {
  fixed: number
  steps: StepSize[]
}

interface Fitted extends Cuts {
  before: number
  after: number
}

/**
 * How far a prompt is cut once it has to be, as the part of what can be cut at all. It is far below the limit, so that
 * the next steps add to the prompt without changing its beginning: providers keep beginnings in their caches.
 */
const goals = { shorten: 0.6, leaveOut: 0.3 }

/**
 * Cuts a prompt that is above the limit: shortens the results of the oldest steps, and leaves out the oldest steps if
 * that is not enough. The last step with calls, and what follows it, stays whole. `after` is above the limit if nothing
 * more can be cut. Earlier cuts are never undone.
 */
export function fit({ fixed, steps }: Sizes, cuts: Cuts, limit: number): Fitted {
  const before = fixed + sum(steps, ({ whole }) => whole)
  if (before <= limit) return { ...cuts, before, after: before }
  const last = steps.findLastIndex(({ hasCalls }) => hasCalls)
  // Without any calls, the last step is kept.
  const cuttable = steps.slice(0, last)
  const kept = before - sum(cuttable, ({ whole }) => whole)
  const goal = (part: number): number => kept + part * (limit - kept)
  const shortened = cutUntil(goal(goals.shorten), before, cuttable, ({ whole, shortened: rest }) => whole - rest)
  const shortenedThrough = Math.max(cuts.shortenedThrough, shortened.through)
  if (shortened.after <= goal(goals.shorten)) return { ...cuts, shortenedThrough, before, after: shortened.after }
  const left = cutUntil(goal(goals.leaveOut), shortened.after, cuttable, ({ shortened: rest }) => rest)
  return { shortenedThrough, leftOutThrough: Math.max(cuts.leftOutThrough, left.through), before, after: left.after }
}

/** Goes through the steps, oldest first, until what is saved is enough. */
function cutUntil(goal: number, size: number, steps: StepSize[], saved: (step: StepSize) => number) {
  let [after, through] = [size, 0]
  for (const step of steps) {
    if (after <= goal) break
    after -= saved(step)
    through = step.step
  }
  return { after, through }
}

const sum = (steps: StepSize[], size: (step: StepSize) => number): number =>
  steps.reduce((total, step) => total + size(step), 0)
