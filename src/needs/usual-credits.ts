/** With fewer days of use, no amount is usual. */
const leastDays = 3

/**
 * The credits of a usual day: the median, in whole credits, of the given days with all their zeros. The median ignores
 * a single extreme day. Null if fewer than three days have any.
 */
export function usualPerDay(days: readonly number[]): number | null {
  if (days.filter((credits) => credits > 0).length < leastDays) return null
  const sorted = days.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  return Math.round(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2)
}
