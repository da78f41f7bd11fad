import { withoutHidden } from '../../../../names.ts'
import { shortened } from '../../../../text.ts'
import type { LeftOutTool } from '../../../left-out.ts'
import { Unusable } from './documents.ts'
import type { Requirement } from './sign-in.ts'
import type { Sorted } from './sort-operations.ts'
import { toTool, type OperationTool, type Reading } from './to-tool.ts'

/** Operations of one site that can be chosen. */
const maxChosen = 20
/** Characters of the patterns of all tools that are compiled: about half a second at worst. */
const maxPatterns = 16 * 1024

export interface Chosen {
  tools: OperationTool[]
  needs: Requirement[]
  leftOut: LeftOutTool[]
}

/** The tools with these names. One that cannot be used costs the others nothing. */
export function chooseTools(names: readonly string[], sorted: Sorted, how: Omit<Reading, 'patterns'>): Chosen {
  const reading = { ...how, patterns: { characters: maxPatterns } }
  const byName = new Map(sorted.usable.map((one) => [one.operation.name, one]))
  const chosen: Chosen = { tools: [], needs: [], leftOut: [] }
  for (const name of new Set(names.slice(0, maxChosen))) {
    try {
      const found = byName.get(name)
      if (!found) throw new Unusable(reasonFor(name, sorted))
      chosen.tools.push(toTool(found.operation, reading))
      chosen.needs.push(found.needs)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      chosen.leftOut.push({ name: shortened(withoutHidden(name), 64), problem: error.message })
    }
  }
  return chosen
}

const reasonFor = (name: string, { leftOut }: Sorted): string =>
  leftOut.find((one) => one.name === name)?.problem ?? 'is not in the document'
