import type { Outcome } from './exchange.ts'
import type { Site } from './site.ts'
import type { Called } from './calls.ts'

/** What may answer before a tool does. */
export type Obstacle = 'redirect' | 'page'

const isRedirect = ({ status, headers }: Outcome): boolean => status >= 300 && status < 400 && headers.has('location')

const isHtml = ({ headers, text, json }: Outcome): boolean =>
  json === undefined && (/\bhtml\b/i.test(headers.get('content-type') ?? '') || /^\s*<[!a-z]/i.test(text ?? ''))

/** What answered instead of the tool, if anything. A 401 or a 500 in any form counts as the tool's own. */
export function obstacleOf(outcome: Outcome): Obstacle | undefined {
  if (isRedirect(outcome)) return 'redirect'
  return isHtml(outcome) && ![401, 500].includes(outcome.status) ? 'page' : undefined
}

/**
 * The calls that the tool answered, without those whose obstacle was already reported. Other calls say nothing about
 * the tool.
 */
export const answeredByTool = (site: Site, calls: Called[]): Called[] =>
  calls.filter(({ outcome }) => !outcome.failure && !site.reported.has(obstacleOf(outcome) ?? ''))
