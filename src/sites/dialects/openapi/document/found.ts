import type { ErrorDetail } from '../../../../errors.ts'
import { withoutHidden } from '../../../../names.ts'
import { shortened } from '../../../../text.ts'
import { foreignName, foreignText } from '../../../foreign-texts.ts'
import { namedLeftOut, type LeftOutTool } from '../../../left-out.ts'
import type { Manifest } from '../../../manifest.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import { scopeWords } from '../../../scope-words.ts'
import type { DocumentFound, DocumentToRead, OfferedOperation } from '../operation.ts'
import { Unusable, type Documents, type Place } from './documents.ts'
import { createCheck, type Check } from './check-operation.ts'
import { maxOperations, operationsIn, type Operation } from './operations.ts'
import { httpsAddress, serverAddresses } from './servers.ts'
import { createRequirements, rankedSchemes, schemesOf, type Auth, type Requirement, type Scheme } from './sign-in.ts'
import { toTool, type OperationTool } from './to-tool.ts'

/** Operations that are offered. More cannot be looked through, and would be slow to send to another thread. */
const maxOffered = 3000
/** Operations of one site that can be chosen. */
export const maxChosen = 20
const longestDescription = 200

/** Characters of the patterns of all tools that are compiled: about half a second at worst. */
const maxPatterns = 16 * 1024

type Result = DocumentFound | { problems: ErrorDetail[] }

/** What is in a document of a known version. */
export function foundIn(root: Place, given: DocumentToRead, documents: Documents, isVersion30: boolean): Result {
  const servers = serverAddresses(memberOf(root.value, 'servers'), root.document)
  const server = given.server === undefined ? servers[0] : httpsAddress(given.server, '')?.replace(/\/+$/, '')
  if (server === undefined) return { problems: [noServer] }
  const { operations, hasMore } = operationsIn(root, documents)
  const requirementsIn = createRequirements()
  const needs = operations.map(({ value }) => requirementsIn(value['security'] ?? memberOf(root.value, 'security')))
  const schemes = schemesOf(root, documents, root.document === '' ? server : root.document)
  const ranked = rankedSchemes(schemes, needs)
  const scheme = wantedScheme(ranked, schemes, given)
  const check = createCheck({ documents, schemes, scheme, server, document: root.document })
  const sorted = sortOut(operations, needs, check)
  if (hasMore) sorted.leftOut.push({ name: '…', problem: `is beyond the first ${maxOperations} operations` })
  const [first] = sorted.leftOut
  if (sorted.usable.length === 0) return { problems: first ? named(sorted.leftOut) : [noOperations] }
  const chosen = toolsOf(given.chosen.slice(0, maxChosen), sorted, { documents, isVersion30 })
  const leftOut = [...chosen.leftOut, ...sorted.leftOut]
  const auth = authOf(schemes, scheme, chosen.needs, given)
  return {
    manifest: JSON.stringify(manifestOf(root.value, server, auth, chosen)),
    offered: sorted.usable.slice(0, maxOffered).map(({ operation }) => toOffered(operation)),
    leftOut: leftOut.length > maxLeftOut ? [...leftOut.slice(0, maxLeftOut), moreThan(leftOut.length)] : leftOut,
    servers,
    schemes: ranked,
  }
}

/** The named scheme, or the first of the kind that the owner wants. */
function wantedScheme(ranked: readonly string[], schemes: Map<string, Scheme>, given: DocumentToRead) {
  if (given.scheme !== undefined && ranked.includes(given.scheme)) return given.scheme
  const kind = given.hasCredential ? 'bearer' : given.wantsSignIn ? 'oauth2' : undefined
  // Documents that describe a sign-in often forget to say which operations need it.
  const fitting = [...ranked, ...schemes.keys()].find((name) => {
    const scheme = schemes.get(name)
    return scheme && 'auth' in scheme && scheme.auth.type === kind
  })
  return fitting ?? ranked[0]
}

const maxLeftOut = 500
const moreThan = (count: number): LeftOutTool => ({
  name: '…',
  problem: `and ${count - maxLeftOut} more operations cannot be used`,
})

const noServer: ErrorDetail = {
  path: 'servers',
  message: 'has no usable address. Servers must have an absolute address with https, or the document must have one',
}
const noOperations: ErrorDetail = { path: 'paths', message: 'has no operations' }
const named = (leftOut: LeftOutTool[]): ErrorDetail[] =>
  namedLeftOut(leftOut).map(({ name, problem }) => ({ path: `operations.${name}`, message: problem }))

interface Sorted {
  usable: { operation: Operation; needs: Requirement }[]
  leftOut: LeftOutTool[]
}

/** The operations that can be chosen, as far as that is known without reading their arguments. */
function sortOut(operations: readonly Operation[], needs: readonly Requirement[], check: Check): Sorted {
  const sorted: Sorted = { usable: [], leftOut: [] }
  const names = new Set<string>()
  for (const [index, operation] of operations.entries()) {
    const requirement = needs[index] ?? { isPublic: true, alone: new Map() }
    const problem = names.has(operation.name) ? 'has the name of another operation' : check(operation, requirement)
    names.add(operation.name)
    if (problem === undefined) sorted.usable.push({ operation, needs: requirement })
    else sorted.leftOut.push({ name: operation.name, problem })
  }
  return sorted
}

interface Chosen {
  tools: OperationTool[]
  needs: Requirement[]
  leftOut: LeftOutTool[]
}

function toolsOf(
  names: readonly string[],
  { usable, leftOut }: Sorted,
  how: Pick<Parameters<typeof toTool>[1], 'documents' | 'isVersion30'>,
) {
  const patterns = { characters: maxPatterns }
  const byName = new Map(usable.map((one) => [one.operation.name, one]))
  const chosen: Chosen = { tools: [], needs: [], leftOut: [] }
  for (const name of new Set(names)) {
    const found = byName.get(name)
    const problem = found ? undefined : (leftOut.find((one) => one.name === name)?.problem ?? 'is not in the document')
    try {
      if (!found) throw new Unusable(problem)
      chosen.tools.push(toTool(found.operation, { ...how, patterns }))
      chosen.needs.push(found.needs)
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      chosen.leftOut.push({ name: shortened(withoutHidden(name), 64), problem: error.message })
    }
  }
  return chosen
}

/** OAuth asks for the scopes that the chosen operations need. */
function authOf(
  schemes: Map<string, Scheme>,
  scheme: string | undefined,
  needs: readonly Requirement[],
  { hasCredential }: DocumentToRead,
): Auth {
  const found = scheme === undefined ? undefined : schemes.get(scheme)
  if (!found || !('auth' in found))
    return hasCredential && schemes.size === 0 ? { type: 'bearer', credential: { scheme: 'bearer' } } : { type: 'none' }
  if (found.auth.type !== 'oauth2') return found.auth
  const scopes = scopeWords(...needs.flatMap(({ alone }) => alone.get(scheme ?? '') ?? []))
  return { ...found.auth, requested_scopes: scopes.toSorted() }
}

function manifestOf(
  root: unknown,
  server: string,
  auth: Auth,
  { tools, leftOut }: Chosen,
): Omit<Manifest, 'auth'> & { auth: Auth } {
  const info = memberOf(root, 'info')
  const { host } = new URL(server)
  const version = memberOf(info, 'version')
  const about = foreignText(memberOf(info, 'description')) ?? foreignText(memberOf(info, 'summary'))
  return {
    name: foreignName(memberOf(info, 'title')) ?? host,
    version: foreignText(typeof version === 'number' ? String(version) : version, 100) ?? 'unknown',
    description: about ?? `The API at ${host}.`,
    server: { url: server },
    auth,
    tools,
    ...(leftOut.length > 0 && { left_out: namedLeftOut(leftOut) }),
  }
}

function toOffered({ name, value, method, path }: Operation): OfferedOperation {
  const { tags, summary, description } = value
  return {
    name,
    description: foreignText(summary, longestDescription) ?? foreignText(description, longestDescription) ?? '',
    tags: Array.isArray(tags) ? tags.slice(0, 5).flatMap((tag) => foreignText(tag, 100) ?? []) : [],
    method,
    path,
  }
}
