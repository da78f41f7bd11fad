import { isObject } from '../json.ts'
import { InvalidResponseDataError, TypeValidationError } from '@ai-sdk/provider'

/**
 * The part of an answer that an adapter could not read, as `choices[0].message.content is a number`; undefined for
 * other errors. It never contains a value.
 */
export function unreadMember(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (TypeValidationError.isInstance(at)) return describe(at)
    // The adapters' own sentences quote the name. Without data, the answer merely ended.
    if (InvalidResponseDataError.isInstance(at) && at.data !== undefined)
      return `${/'([\w.]{1,50})'/.exec(at.message)?.[1] ?? 'a member'} is missing or of the wrong type`
  }
  return undefined
}

function describe({ value, cause }: TypeValidationError): string {
  const path = pathOf(isObject(cause) || cause instanceof Error ? Reflect.get(cause, 'issues') : undefined)
  const found = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined),
    value,
  )
  const name = path.reduce<string>(
    (text, one) => text + (typeof one === 'number' ? `[${one}]` : `${text && '.'}${one}`),
    '',
  )
  return `${name.slice(0, 200) || 'it'} is ${kindOf(found)}`
}

/** The place of the first problem. A union is not a place, unless a member is one. */
function pathOf(issues: unknown): (string | number)[] {
  const [issue] = Array.isArray(issues) ? issues : []
  if (!isObject(issue)) return []
  const path = Array.isArray(issue['path']) ? (issue['path'] as (string | number)[]) : []
  const [first] = Array.isArray(issue['errors']) ? (issue['errors'] as unknown[]) : []
  return path.length > 0 ? path : pathOf(first)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'unexpectedly a list'
  const kinds: Record<string, string> = {
    string: 'a string',
    number: 'a number',
    boolean: 'a boolean',
    object: 'an object',
  }
  return `unexpectedly ${kinds[typeof value] ?? 'of another type'}`
}
