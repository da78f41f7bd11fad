import { Unusable, type Documents } from './documents.ts'
import type { Operation } from './operations.ts'
import { checkPath } from './paths.ts'
import { bodyAt, bodyPlace } from './request-body.ts'
import { serverAddresses } from './servers.ts'
import { checkSignIn, type Requirement, type Scheme } from './sign-in.ts'

interface Site {
  documents: Documents
  schemes: Map<string, Scheme>
  /** The chosen one; undefined if none is needed. */
  scheme: string | undefined
  /** The address of the site's server, and of the one that it stands for, if the owner has named another one. */
  servers: readonly string[]
  /** The address of the document. */
  document: string
}

/** Why an operation cannot be offered, as the end of a sentence about it; undefined if it can. */
export type Check = (operation: Operation, requirement: Requirement) => string | undefined

/** Makes the check of operations that need not be read for it in full, because a document may have thousands. */
export function createCheck({ documents, schemes, scheme, servers, document }: Site): Check {
  const ofServers = remembering((own) => checkServers(own, servers, document))
  const ofBody = remembering((value) => bodyAt({ value, document: '' }))

  function check(operation: Operation, requirement: Requirement): void {
    checkPath(operation.path)
    if (Array.isArray(operation.servers)) ofServers(operation.servers)
    checkSignIn(requirement, scheme, schemes)
    const place = bodyPlace(operation)
    const body = place && documents.peek(place)?.value
    if (typeof body === 'object' && body !== null) ofBody(body)
  }

  return (operation, requirement) => problemOf(() => check(operation, requirement))
}

/** Throws if the operation has servers of its own, and that of the site is not among them. */
function checkServers(own: object, servers: readonly string[], document: string): void {
  if (!serverAddresses(own, document).some((address) => servers.includes(address)))
    throw new Unusable('is on another server than the rest of the document')
}

function problemOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Unusable) return error.message
    throw error
  }
}

/** Does the work once for each object, because many operations may share one, and throws the same problem again. */
function remembering(work: (given: object) => unknown): (given: object) => void {
  const known = new WeakMap<object, string | false>()
  return (given) => {
    const problem = known.get(given) ?? problemOf(() => void work(given)) ?? false
    known.set(given, problem)
    if (problem !== false) throw new Unusable(problem)
  }
}
