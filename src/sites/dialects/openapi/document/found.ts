import type { ErrorDetail } from '../../../../errors.ts'
import { namedLeftOut, type LeftOutTool } from '../../../left-out.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import type { DocumentFound, DocumentToRead } from '../operation.ts'
import { createCheck, type Check } from './check-operation.ts'
import { chooseTools } from './choose-tools.ts'
import type { Documents, Place } from './documents.ts'
import { manifestOf, toOffered } from './manifest.ts'
import { maxOperations, operationsIn, type Operation } from './operations.ts'
import { httpsAddress, serverAddresses } from './servers.ts'
import { authBy, chosenScheme, createRequirements, schemesOf, type Requirement, type Wish } from './sign-in.ts'

/** Operations that are offered. More cannot be looked through, and would be slow to send to another thread. */
const maxOffered = 3000
const maxLeftOut = 500

type Result = DocumentFound | { problems: ErrorDetail[] }

/** What is in a document of a known version. */
export function foundIn(root: Place, given: DocumentToRead, documents: Documents, isVersion30: boolean): Result {
  const servers = serverAddresses(memberOf(root.value, 'servers'), root.document)
  const server = given.server === undefined ? servers[0] : httpsAddress(given.server, '')?.replace(/\/+$/, '')
  if (server === undefined) return { problems: [noServer] }
  const { signIn, sorted } = sortedIn(root, [server, ...servers.slice(0, 1)], documents, given)
  if (sorted.usable.length === 0) return { problems: problemsOf(sorted) }
  const own = signIn([])
  const credential = own.type === 'bearer' ? own.credential : undefined
  const chosen = chooseTools(given.chosen, sorted, { documents, isVersion30, credential })
  const leftOut = [...chosen.leftOut, ...sorted.leftOut]
  return {
    manifest: JSON.stringify(manifestOf(root.value, server, signIn(chosen.needs), chosen)),
    offered: sorted.usable.slice(0, maxOffered).map(({ operation }) => toOffered(operation)),
    leftOut: leftOut.length > maxLeftOut ? [...leftOut.slice(0, maxLeftOut), moreThan(leftOut.length)] : leftOut,
    servers,
  }
}

const noServer: ErrorDetail = {
  path: 'servers',
  message: 'has no usable address. Servers must have an absolute address with https, or the document must have one',
}

const moreThan = (count: number): LeftOutTool => ({
  name: '…',
  problem: `and ${count - maxLeftOut} more operations cannot be used`,
})

const problemsOf = ({ leftOut }: Sorted): ErrorDetail[] =>
  leftOut.length === 0
    ? [{ path: 'paths', message: 'has no operations' }]
    : namedLeftOut(leftOut).map(({ name, problem }) => ({ path: `operations.${name}`, message: problem }))

/** The operations of a document, by whether they can be chosen. */
export interface Sorted {
  usable: { operation: Operation; needs: Requirement }[]
  leftOut: LeftOutTool[]
}

/** The sign-in of a site with these requirements, and the operations that it is enough for. */
function sortedIn(root: Place, servers: readonly string[], documents: Documents, wish: Wish) {
  const { operations, hasMore } = operationsIn(root, documents)
  const requirementIn = createRequirements()
  const common = memberOf(root.value, 'security')
  const wanted = operations.map((one) => ({ operation: one, needs: requirementIn(one.value['security'] ?? common) }))
  const schemes = schemesOf(root, documents, root.document === '' ? (servers[0] ?? '') : root.document)
  const all = wanted.map(({ needs }) => needs)
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
