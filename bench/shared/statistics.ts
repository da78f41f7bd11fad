/** The middle one of an odd number of values. */
export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The smallest value that at least this share of the values does not exceed; with 0.95, the 95th percentile. */
export function percentile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}
