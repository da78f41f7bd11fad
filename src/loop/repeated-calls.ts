/** The third identical call in a row is answered with a warning. */
export const warnAfter = 3
/** The fifth ends the run, or the answer. */
export const endAfter = 5

/** What makes two calls the same. */
export interface CallIdentity {
  name: string
  arguments: string
}

const same = (one: CallIdentity, other: CallIdentity): boolean =>
  one.name === other.name && one.arguments === other.arguments

/** How many calls at the end of the list are the same tool with the same arguments. */
export function streak(calls: CallIdentity[]): number {
  const last = calls.at(-1)
  return last ? calls.length - 1 - calls.findLastIndex((call) => !same(call, last)) : 0
}

/** The longest streak anywhere in the list; the calls of one step may end it and begin another. */
export function longestStreak(calls: CallIdentity[]): number {
  let [longest, current] = [0, 0]
  for (const [index, call] of calls.entries()) {
    const before = calls[index - 1]
    current = before && same(call, before) ? current + 1 : 1
    longest = Math.max(longest, current)
  }
  return longest
}
