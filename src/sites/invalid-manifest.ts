import { CodedError, problemInWords, type ErrorDetail } from '../errors.ts'

/** The problem of a text that its thread gave up. */
export const tooComplex: ErrorDetail = { path: '', message: 'takes too long to read' }

/** MANIFEST_INVALID with a sentence about the first problem. */
export function invalidManifest(details: ErrorDetail[], options: { privateDetail?: string; cause?: unknown } = {}) {
  const [first] = details
  const message = first && `The site's manifest is invalid${sentenceOf(first)}`
  return new CodedError('MANIFEST_INVALID', { details, ...(message && { message }), ...options })
}

/** A problem of the whole document is a sentence already. */
const sentenceOf = (problem: ErrorDetail): string =>
  problem.message.endsWith('.') ? `. ${problem.message}` : `: ${problemInWords(problem)}.`
