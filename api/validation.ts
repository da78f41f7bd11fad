import * as v from 'valibot'
import { CodedError, type ErrorDetail } from '../src/errors.ts'

/** VALIDATION_ERROR with one detail per wrong place (at most 50), from valibot's issues. */
export function invalid(issues: readonly v.BaseIssue<unknown>[], sentence: string): CodedError {
  const details = issues.slice(0, 50).map(toDetail)
  const first = details[0]
  const message = first ? `${sentence} ${first.path ? `${first.path}: ` : ''}${first.message}` : sentence
  return new CodedError('VALIDATION_ERROR', { message, details })
}

function toDetail(issue: v.BaseIssue<unknown>): ErrorDetail {
  const path = v.getDotPath(issue) ?? ''
  if (issue.expected === 'never') return { path, message: 'This member is not known here.' }
  return { path, message: issue.received === 'undefined' ? 'This member is required.' : issue.message }
}
