import { median } from './statistics.ts'

export interface Rate {
  /** The unit, such as `runs/s`. */
  unit: string
  measure: () => Promise<number>
}

const rounds = 3

/**
 * Measures two rates in turn, because a machine varies from minute to minute. Prints each round and the median of the
 * ratios.
 */
export async function compareRates(ours: Rate, theirs: Rate, name = ''): Promise<void> {
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const [one, other] = [await ours.measure(), await theirs.measure()]
    ratios.push(one / other)
    console.log(
      `${name}round ${round}: ${one.toFixed(1)} ${ours.unit}, ${other.toFixed(1)} ${theirs.unit}, ratio ${(one / other).toFixed(2)}`,
    )
  }
  console.log(`${name}median ratio ${median(ratios).toFixed(2)}`)
}
