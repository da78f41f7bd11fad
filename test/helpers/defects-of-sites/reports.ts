import type { ExecutionContext } from 'ava'
import type { Report } from '../../../check-site/check-site.ts'
import { written } from '../../../check-site/report.ts'
import { defaults, type CheckOptions } from '../../../check-site/options.ts'
import type { Expected } from './changes.ts'
import { goodToken, limitedToken } from './defect.ts'

/** Nothing listens on this port. */
export const closedPort = 64_998

/** The most thorough check, without waits, because these sites send a 429 only where a check expects it. */
export const thorough: Omit<CheckOptions, 'site'> = {
  ...defaults,
  baseUrl: 'https://platform.example',
  callAll: true,
  httpPort: closedPort,
  timeoutSeconds: 20,
  patienceSeconds: 0,
}

export const bearer = { token: goodToken, limitedToken }
export const burst = { ...bearer, burst: 70 }
export const limitChecks = ['limit-met', 'retry-after', 'limit-body']

export const found = ({ checked }: Report, ...results: string[]) =>
  checked.filter(({ finding }) => results.includes(finding.result)).map(({ check: { id } }) => id)

/** The report's finding for a check. */
export const findingOf = ({ checked }: Report, id: string) => checked.find(({ check }) => check.id === id)?.finding

/** Asserts that the report has these failures and warnings, and no others. */
export function finds(t: ExecutionContext, report: Report, { fails = [], warns = [], says = /./ }: Expected): void {
  t.deepEqual(found(report, 'failed').toSorted(), [...fails].toSorted())
  t.deepEqual(found(report, 'warning').toSorted(), [...warns].toSorted())
  t.regex(written(report), says)
}
