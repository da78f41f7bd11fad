import { foreignText } from '../../../foreign-texts.ts'
import { inferScope, type ManifestTool, type ProposedEffect, type Scope } from '../../../tool.ts'
import type { CredentialPlace, OperationRequest } from '../operation.ts'
import type { PatternsLeft } from './copying.ts'
import type { Documents } from './documents.ts'
import { inputOf } from './input-schema.ts'
import type { Operation } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { bodyOf } from './request-body.ts'

export interface OperationTool extends ManifestTool {
  request: OperationRequest
}

/** How the operations of one document are read. */
export interface Reading {
  documents: Documents
  isVersion30: boolean
  patterns: PatternsLeft
  /** Where the credential of the site is sent. */
  credential: CredentialPlace | undefined
}

/**
 * The tool that an operation becomes. Its results are not described: servers often send more, or less, than their
 * documents say. Throws Unusable.
 */
export function toTool(operation: Operation, how: Reading): OperationTool {
  const { name, method, path } = operation
  const parameters = parametersOf(operation, how)
  const { schema, ...request } = inputOf({ parameters, body: bodyOf(operation, how.documents) }, how)
  const proposed = proposals[method]
  return {
    name,
    description: descriptionOf(operation),
    input_schema: schema,
    scope: scopeOf(name, method),
    ...(proposed && { proposed_effect: proposed }),
    request: { method, path, ...request },
  }
}

/** What methods mean (RFC 9110, 9.2.1 and 9.2.2). Servers may do otherwise, so these are only proposals. */
const proposals: Partial<Record<OperationRequest['method'], ProposedEffect>> = {
  GET: 'read',
  HEAD: 'read',
  OPTIONS: 'read',
  PUT: 'idempotent',
  DELETE: 'idempotent',
}

/** The method decides, except that a name may say more: `admin` for what it reads, and for whom it manages. */
function scopeOf(name: string, method: OperationRequest['method']): Scope {
  const isReading = proposals[method] === 'read'
  if (inferScope(isReading ? `get_${name}` : name) === 'admin') return 'admin'
  if (isReading) return 'read'
  return method === 'DELETE' ? 'delete' : 'write'
}

function descriptionOf({ name, value }: Operation): string {
  const [summary, description] = [foreignText(value['summary'], 500), foreignText(value['description'])]
  if (summary === undefined || description === undefined || description.startsWith(summary))
    return description ?? summary ?? name
  return foreignText(`${summary.replace(/[.\s]+$/, '')}. ${description}`) ?? name
}
