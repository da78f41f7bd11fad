import { median } from '../shared/statistics.ts'
import { warmUps, type Operation } from './operation.ts'
import type { Side } from './side.ts'

/** How often each operation runs on each side, after the warm-ups. */
const turns = 31

/** A ratio above the limit is measured again with this many times the turns, because the machine may have been busy. */
const repeated = 3

/** How many times as long an operation may take in a filled database. */
export const limit = 2

/** The time of an operation on both sides, as medians in milliseconds. */
export interface Measured {
  name: string
  small: number
  filled: number
  ratio: number
  isRepeated: boolean
  isCold: boolean
}

type Times = Map<string, number[]>

/** Measures an operation on both sides in turn, because a machine varies from moment to moment. */
export async function measure(operation: Operation, sides: { small: Side; filled: Side }): Promise<Measured[]> {
  const once = await compare(operation, sides, turns, 0)
  if (operation.isCold || once.every(({ ratio }) => ratio <= limit)) return once
  const again = await compare(operation, sides, turns * repeated, turns + warmUps)
  return again.map((one) => ({ ...one, isRepeated: true }))
}

async function compare(
  operation: Operation,
  { small, filled }: { small: Side; filled: Side },
  count: number,
  from: number,
): Promise<Measured[]> {
  const times = { small: new Map() as Times, filled: new Map() as Times }
  for (let turn = from; turn < from + warmUps + count; turn += 1) {
    const isCounted = turn >= from + warmUps
    // The first side of a turn has the processor caches to itself.
    const order = turn % 2 === 0 ? (['small', 'filled'] as const) : (['filled', 'small'] as const)
    for (const name of order) {
      await once(operation, { small, filled }[name], turn, isCounted ? times[name] : new Map())
    }
  }
  return [...times.small].map(([name, ofSmall]) => {
    const [one, other] = [median(ofSmall), median(times.filled.get(name) ?? [])]
    return { name, small: one, filled: other, ratio: other / one, isRepeated: false, isCold: operation.isCold ?? false }
  })
}

/** Runs the operation once and adds the time of each of its parts. */
export async function once(operation: Operation, side: Side, turn: number, times: Times): Promise<void> {
  await operation.run(side, turn, async (name, work) => {
    const began = performance.now()
    const result = await work()
    const took = performance.now() - began
    times.set(name, [...(times.get(name) ?? []), took])
    return result
  })
}
