import { isObject } from '../json.ts'
import { readObject } from './arguments.ts'

/** Members that name the kind of an error for programs. */
const members = ['type', 'code', 'status', 'reason']

/**
 * The kinds in a provider's error body, such as `insufficient_quota`. They may be logged. Any other text, such as the
 * message, may quote the prompt or a key.
 */
export function errorCodesIn(body: string | undefined): string | undefined {
  const report = body === undefined ? undefined : readObject(body)
  const error = isObject(report?.['error']) ? report['error'] : (report ?? {})
  const names = members
    .map((member) => error[member])
    .filter((value) => typeof value === 'string' && isName.test(value))
  return names.length > 0 ? [...new Set(names)].join(', ') : undefined
}

/** Keys and ids have digits, or capitals among small letters. */
const isName = /^(?:[a-z]{2,20}(?:[_.-][a-z]{1,20}){0,6}|[A-Z]{2,20}(?:_[A-Z]{1,20}){0,6})$/
