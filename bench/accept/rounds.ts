import { median } from '../shared/statistics.ts'
import type { Load } from './send.ts'
import type { Side } from './side.ts'

type Measured = Pick<Load, 'rate' | 'p99'>

/**
 * Measures all sides in turn, because a machine varies from minute to minute, and every other round in reverse, because
 * each side leaves the caches and the disk to the next. Prints each round.
 */
export async function measureRounds(sides: Side[], connections: number, rounds: number, seconds: number) {
  const measured = new Map<Side, Measured[]>(sides.map((side) => [side, []]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides.toReversed() : sides) {
      const found = await side.measure(connections, seconds)
      measured.get(side)?.push(found)
      console.log(
        `${connections} connections, round ${round}: ${found.rate.toFixed(0)}/s, p99 ${found.p99.toFixed(1)} ms  ${side.name}`,
      )
    }
  }
  return measured
}

/** The first side against each: the median of the rounds' rates, their p99 and the ratios within a round. */
export function rowsOf(measured: Map<Side, Measured[]>, connections: number): string[][] {
  const [first = []] = measured.values()
  return [...measured].map(([side, rounds]) => {
    const ratios = rounds.map(({ rate }, round) => (first[round]?.rate ?? Number.NaN) / rate)
    const rate = median(rounds.map((one) => one.rate)).toFixed(0)
    const p99 = median(rounds.map((one) => one.p99)).toFixed(1)
    return [side.name, String(connections), rate, p99, first === rounds ? '' : median(ratios).toFixed(2)]
  })
}
