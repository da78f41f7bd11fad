import { ratioOf, type Measured } from '../shared/compare.ts'
import { median } from '../shared/statistics.ts'
import type { Load } from './send.ts'

type Found = Pick<Load, 'rate' | 'p99'>

export const inWords = ({ rate, p99 }: Found): string => `${rate.toFixed(0)}/s, p99 ${p99.toFixed(1)} ms`

/** The first side against each: the median of the rounds' rates, their p99 and the ratios within a round. */
export function rowsOf(measured: Measured<Found>[], connections: number): string[][] {
  const rates = measured.map(({ rounds }) => rounds.map(({ rate }) => rate))
  return measured.map(({ name, rounds }, index) => [
    name,
    String(connections),
    median(rates[index] ?? []).toFixed(0),
    median(rounds.map(({ p99 }) => p99)).toFixed(1),
    index === 0 ? '' : ratioOf(rates[0] ?? [], rates[index] ?? []),
  ])
}
