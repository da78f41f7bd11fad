import type { ErrorDetail } from '../../errors.ts'

/** How many places one answer names at most: enough to mend a document, too few to flood a log. */
const mostProblems = 20

/** The first problems of a lazy list; what comes after is not even looked for. */
export function firstProblems(problems: Iterable<ErrorDetail>, most = mostProblems): ErrorDetail[] {
  const first: ErrorDetail[] = []
  for (const { path, message } of problems) {
    first.push({ path, message: message.length > 300 ? `${message.slice(0, 300)}…` : message })
    if (first.length >= most) break
  }
  return first
}
