import type { LeftOutTool } from '../../../left-out.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import { createCheck, type Check } from './check-operation.ts'
import type { Documents, Place } from './documents.ts'
import { maxOperations, operationsIn, type Operation } from './operations.ts'
import { authBy, chosenScheme, createRequirements, schemesOf, type Requirement, type Wish } from './sign-in.ts'

/** The operations of a document, by whether they can be chosen. */
export interface Sorted {
  usable: { operation: Operation; needs: Requirement }[]
  leftOut: LeftOutTool[]
}

/** The sign-in of a site with these requirements, and the operations that it is enough for. */
export function sortedIn(root: Place, servers: readonly string[], documents: Documents, wish: Wish) {
  const { operations, hasMore } = operationsIn(root, documents)
  const requirementIn = createRequirements()
  const common = memberOf(root.value, 'security')
  const wanted = operations.map((one) => ({ operation: one, needs: requirementIn(one.value['security'] ?? common) }))
  const all = wanted.map(({ needs }) => needs)
  const needed = new Set(all.flatMap(({ alone }) => [...alone.keys()]))
  const base = root.document === '' ? (servers[0] ?? '') : root.document
  const schemes = schemesOf({ root, needed, base }, documents)
  const scheme = chosenScheme(schemes, all, wish)
  const sorted = sortOut(wanted, createCheck({ documents, schemes, scheme, servers, document: root.document }))
  if (hasMore) sorted.leftOut.push({ name: '…', problem: `is beyond the first ${maxOperations} operations` })
  return { sorted, signIn: (needs: readonly Requirement[]) => authBy(scheme, schemes, needs, wish) }
}

/** Sorts operations as far as possible without reading their arguments. */
function sortOut(operations: Sorted['usable'], check: Check): Sorted {
  const sorted: Sorted = { usable: [], leftOut: [] }
  const names = new Set<string>()
  for (const { operation, needs } of operations) {
    const { name } = operation
    const problem = names.has(name) ? 'has the name of another operation' : check(operation, needs)
    names.add(name)
    if (problem === undefined) sorted.usable.push({ operation, needs })
    else sorted.leftOut.push({ name, problem })
  }
  return sorted
}
