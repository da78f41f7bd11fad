import { median, percentile } from './statistics.ts'

/** One of the things that are compared. */
export interface Side<Found> {
  name: string
  /** Measures one round. */
  measure: () => Promise<Found>
}

/** What a side's rounds found, in order. */
export interface Measured<Found> {
  name: string
  rounds: Found[]
}

/**
 * Measures all sides in turn, because a machine varies from minute to minute, and every other round in reverse, because
 * each side leaves the caches and the disk to the next. Prints each round.
 */
export async function measureInTurn<Found>(
  sides: Side<Found>[],
  rounds: number,
  inWords: (found: Found) => string,
): Promise<Measured<Found>[]> {
  const measured = sides.map(({ name }): Measured<Found> => ({ name, rounds: [] }))
  for (let round = 1; round <= rounds; round += 1) {
    const turns = sides.map((side, index) => ({ side, into: measured[index]?.rounds }))
    for (const { side, into } of round % 2 === 0 ? turns.toReversed() : turns) {
      const found = await side.measure()
      into?.push(found)
      console.log(`round ${round}: ${inWords(found)}  ${side.name}`)
    }
  }
  return measured
}

/** A row for each side with the median of its rates and the ratio of the first side to it. */
export const rateRows = (measured: Measured<number>[]): string[][] =>
  measured.map(({ name, rounds }, index) => [
    name,
    median(rounds).toFixed(1),
    index === 0 ? '' : ratioOf(measured[0]?.rounds ?? [], rounds),
  ])

/** A row for each side with the median and p95 of all its times, and the ratio of the first side's medians to its. */
export const timeRows = (measured: Measured<number[]>[]): string[][] =>
  measured.map(({ name, rounds }, index) => [
    name,
    ...summary(rounds.flat()),
    index === 0 ? '' : ratioOf((measured[0]?.rounds ?? []).map(median), rounds.map(median)),
  ])

/** The median and the 95th percentile of times in milliseconds. */
export const summary = (times: number[]): [median: string, p95: string] => [
  median(times).toFixed(1),
  percentile(times, 0.95).toFixed(1),
]

export const inMilliseconds = (times: number[]): string => {
  const [middle, p95] = summary(times)
  return `median ${middle} ms, p95 ${p95} ms`
}

/** The median of the ratios within a round. */
export function ratioOf(ours: number[], theirs: number[]): string {
  return median(ours.map((one, round) => one / (theirs[round] ?? Number.NaN))).toFixed(2)
}
