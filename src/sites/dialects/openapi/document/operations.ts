import { isObject } from '../../../../json.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import type { OperationRequest } from '../operation.ts'
import type { Documents, Place } from './documents.ts'
import { Unusable } from './documents.ts'
import { toolNames } from './tool-names.ts'

/** Operations of one document that are looked at. GitHub's has 1,200. */
export const maxOperations = 20_000

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** An operation with what its path says about it (OpenAPI 3.1, 4.8.9 and 4.8.10). */
export interface Operation {
  /** Of the tool. */
  name: string
  method: OperationRequest['method']
  path: string
  value: Record<string, unknown>
  /** The address of the document that it is in. */
  document: string
  /** Those of the path, and those of the operation, as they are given. */
  parameters: [unknown, unknown]
  servers: unknown
}

type Unnamed = Omit<Operation, 'name'>

/** The operations of a document, whether they can be used or not, and whether there are more. */
export function operationsIn(root: Place, documents: Documents): { operations: Operation[]; hasMore: boolean } {
  const paths = memberOf(root.value, 'paths')
  const found: Unnamed[] = []
  // No entries: they would be as many lists as a stranger likes.
  if (isObject(paths)) {
    for (const path of Object.keys(paths)) {
      if (path.startsWith('/'))
        found.push(...operationsAt(path, { value: paths[path], document: root.document }, documents))
      if (found.length > maxOperations) break
    }
  }
  const kept = found.slice(0, maxOperations)
  const names = toolNames(kept.map(({ value, method, path }) => ({ operationId: value['operationId'], method, path })))
  const operations = kept.map((one, index) => ({ ...one, name: names[index] ?? '' }))
  return { operations, hasMore: found.length > kept.length }
}

function operationsAt(path: string, item: Place, documents: Documents): Unnamed[] {
  const { value, document } = itemAt(item, documents)
  if (!isObject(value)) return []
  return methods.flatMap((method) => {
    const operation = memberOf(value, method)
    if (!isObject(operation)) return []
    const parameters: Operation['parameters'] = [value['parameters'], operation['parameters']]
    const servers = operation['servers'] ?? value['servers']
    return [{ method: upperCase(method), path, value: operation, document, parameters, servers }]
  })
}

/** A path whose reference leads nowhere has no operations. */
function itemAt(item: Place, documents: Documents): Place {
  try {
    return documents.follow(item)
  } catch (error) {
    if (error instanceof Unusable) return { value: undefined, document: '' }
    throw error
  }
}

const upperCase = (method: (typeof methods)[number]) => method.toUpperCase() as OperationRequest['method']
