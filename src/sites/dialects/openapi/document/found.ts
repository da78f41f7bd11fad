import type { ErrorDetail } from '../../../../errors.ts'
import { namedLeftOut, type LeftOutTool } from '../../../left-out.ts'
import { offeredTools } from '../../../offered-tools.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import type { DocumentFound, DocumentToRead } from '../operation.ts'
import { chooseTools } from './choose-tools.ts'
import type { Documents, Place } from './documents.ts'
import { manifestOf, toOffered } from './manifest.ts'
import { serverAddresses, serverOf } from './servers.ts'
import { sortedIn, type Sorted } from './sort-operations.ts'

const maxLeftOut = 500

type Result = DocumentFound | { problems: ErrorDetail[] }

/** What is in a document of a known version. */
export function foundIn(root: Place, given: DocumentToRead, documents: Documents, isVersion30: boolean): Result {
  const servers = serverAddresses(memberOf(root.value, 'servers'), root.document)
  const server = serverOf(given, servers)
  if (server === undefined) return { problems: [noServer] }
  const { signIn, sorted } = sortedIn(root, [server.url, ...servers.slice(0, 1)], documents, given)
  if (sorted.usable.length === 0) return { problems: problemsOf(sorted) }
  const own = signIn([])
  const credential = own.type === 'bearer' ? own.credential : undefined
  const chosen = chooseTools(given.chosen, sorted, { documents, isVersion30, credential })
  const leftOut = [...chosen.leftOut, ...sorted.leftOut]
  return {
    manifest: JSON.stringify(manifestOf(root.value, server, signIn(chosen.needs), chosen)),
    offered: offeredTools(
      sorted.usable.map(({ operation }) => toOffered(operation)),
      given.shown,
    ),
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
