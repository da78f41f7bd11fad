import type { Outcome } from './exchange.ts'
import type { Site } from './site.ts'
import type { Called } from './calls.ts'

/** What may stand before a tool, and answer in its place. */
export type Obstacle = 'redirect' | 'page'

const isRedirect = ({ status, headers }: Outcome): boolean => status >= 300 && status < 400 && headers.has('location')

const isHtml = ({ headers, text, json }: Outcome): boolean =>
  json === undefined && (/\bhtml\b/i.test(headers.get('content-type') ?? '') || /^\s*<[!a-z]/i.test(text ?? ''))

/** What answered in place of the tool, if anything. A 401 and a 500 are the tool's own, in whatever form. */
export function obstacleOf(outcome: Outcome): Obstacle | undefined {
  if (isRedirect(outcome)) return 'redirect'
  return isHtml(outcome) && ![401, 500].includes(outcome.status) ? 'page' : undefined
}

/** The calls that were answered, and not by an obstacle that was reported before: all others say nothing of the tool. */
export const answeredByTool = (site: Site, calls: Called[]): Called[] =>
  calls.filter(({ outcome }) => !outcome.failure && !site.reported.has(obstacleOf(outcome) ?? ''))
