import type { Evidence } from './evidence.ts'
import { judge } from './judge.ts'
import { plantedInCalls } from './planted/calls.ts'
import { plantedInMoney } from './planted/money.ts'
import { plantedInRuns } from './planted/runs.ts'

/** What could have gone wrong, done to a copy of what is known. A judge that does not find it finds nothing else. */
const planted = [...plantedInRuns, ...plantedInCalls, ...plantedInMoney]

export const plantedFaults = planted.map(({ what }) => what)

/** The planted faults that the judge does not notice: more findings under their question than without them. */
export function missedBy(evidence: Evidence): string[] {
  const before = judge(evidence)
  return planted
    .filter(({ under, plant }) => judge({ ...evidence, ...plant(evidence) })[under].length <= before[under].length)
    .map(({ what }) => what)
}
