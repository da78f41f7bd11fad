import type { ErrorDetail } from '../../errors.ts'
import { shortened } from '../../text.ts'

/** The most problems in one response: enough to fix a document, too few to flood a log. */
const maxProblems = 20

/** The first problems of a lazy list; the rest is not evaluated. */
export function firstProblems(problems: Iterable<ErrorDetail>, limit = maxProblems): ErrorDetail[] {
  const first: ErrorDetail[] = []
  for (const { path, message } of problems) {
    first.push({ path, message: shortened(message, 300) })
    if (first.length >= limit) break
  }
  return first
}
