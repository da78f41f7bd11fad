import * as v from 'valibot'
import { CodedError, type ErrorDetail } from '../../src/errors.ts'
import { mostDetails } from '../schemas/list.ts'

/** The output of the schema. Fails with VALIDATION_ERROR, which names the places and never quotes the value. */
export function validated(schema: v.GenericSchema, value: unknown, sentence: string): unknown {
  // One problem per value is enough: a text that is too long is not checked further.
  const result = v.safeParse(schema, value, { message: expectation, abortPipeEarly: true })
  if (result.success) return result.output
  throw invalid(result.issues, sentence)
}

/** For schemas without a message: valibot's own would quote the value, which may be a password. */
const expectation = ({ expected }: v.BaseIssue<unknown>): string =>
  expected ? `must be ${names[expected] ?? expected}` : 'is invalid'
const names: Record<string, string> = { Object: 'a JSON object', Array: 'a list', string: 'a string' }

/** VALIDATION_ERROR with one detail per valibot issue, at most 50. */
function invalid(issues: readonly v.BaseIssue<unknown>[], sentence: string): CodedError {
  const details = issues.slice(0, mostDetails).map(toDetail)
  const first = details[0]
  const message = first ? `${sentence} ${first.path ? `${first.path}: ` : ''}${first.message}` : sentence
  return new CodedError('VALIDATION_ERROR', { message, details })
}

function toDetail(issue: v.BaseIssue<unknown>): ErrorDetail {
  const path = v.getDotPath(issue) ?? ''
  if (issue.expected === 'never') return { path, message: 'This field is unknown.' }
  return { path, message: issue.received === 'undefined' ? 'This field is required.' : issue.message }
}
