import { isObject } from '../../../../json.ts'
import { memberOf } from '../../../schema/schema-keywords.ts'
import type { OperationRequest } from '../operation.ts'
import type { Documents, Place } from './documents.ts'
import { Unusable } from './documents.ts'
import { toolNames } from './tool-names.ts'

/** Paths, and operations, of one document that are looked at. GitHub's has 1,200 operations. */
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
  const names = isObject(paths) ? Object.keys(paths) : []
  for (const path of names.slice(0, maxOperations)) {
    const item = { value: memberOf(paths, path), document: root.document }
    if (path.startsWith('/')) found.push(...operationsAt(path, item, documents))
    if (found.length > maxOperations) break
  }
  const operations = named(found.slice(0, maxOperations))
  return { operations, hasMore: found.length > maxOperations || names.length > maxOperations }
}

function named(operations: readonly Unnamed[]): Operation[] {
  const names = toolNames(operations.map(({ value, method, path }) => ({ id: value['operationId'], method, path })))
  return operations.map((one, index) => ({ ...one, name: names[index] ?? '' }))
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
