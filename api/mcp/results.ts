import type { CallToolResult } from '@modelcontextprotocol/server'
import { CodedError, errorBody } from '../../src/errors.ts'
import { writeJson } from '../../src/json-text.ts'
import type { Logger } from '../../src/logger.ts'
import { noteFailure } from '../failures.ts'

/** A result in the one form that models read: JSON as a text. */
export const resultOf = (answer: unknown): CallToolResult => ({ content: [{ type: 'text', text: writeJson(answer) }] })

/** A failure as a result, so that the model reads the code and the sentence. Others than coded ones are logged. */
export function failureOf(logger: Logger, thrown: unknown): CallToolResult {
  const error = thrown instanceof CodedError ? thrown : noteFailure(logger, thrown)
  return { ...resultOf(errorBody(error)), isError: true }
}
