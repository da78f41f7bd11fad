import { isPartial, type Checked, type Report } from './check-site.ts'
import type { Finding } from './check.ts'

const marks = { passed: 'ok  ', failed: 'FAIL', warning: 'warn', absent: 'n/a ' } as const

/** The most lines per requirement, and requirements per line. */
const maxLines = 20
const maxNames = 10

type Skipped = Extract<Finding, { result: 'skipped' }>

/**
 * The report for people: a line for each requirement and, under a violated one, the problems and the fix. The end
 * lists what was not checked, by reason.
 */
export function written(report: Report): string {
  const judged = report.checked.filter(({ finding }) => finding.result !== 'skipped')
  const byGroup = Map.groupBy(judged, ({ group }) => group)
  const parts = [...byGroup].map(([group, checked]) => [group, ...checked.flatMap(lines)].join('\n'))
  return [
    `Checked ${report.site} with ${report.requests} requests, as ${report.userAgent}.`,
    ...parts,
    ['Not checked', ...notChecked(report)].join('\n'),
    summary(report),
  ].join('\n\n')
}

function lines({ check, finding }: Checked): string[] {
  const head = (result: keyof typeof marks) => `  ${marks[result]}  ${check.requirement}  [${check.id}]`
  if (finding.result === 'passed' || finding.result === 'skipped') return [head('passed')]
  if (finding.result === 'absent') return [head('absent'), `          ${plain(finding.why)}`]
  const why = finding.why.slice(0, maxLines).map((place) => `          ${plain(place)}`)
  const more = finding.why.length - why.length
  if (more > 0) why.push(`          … and ${more} more, which --json shows.`)
  return [head(finding.result), ...why, `          Fix: ${finding.fix ?? check.fix} (${check.section})`]
}

function notChecked({ checked, tools }: Report): string[] {
  const skipped = checked.flatMap(({ check, finding }) => (finding.result === 'skipped' ? [{ check, finding }] : []))
  const byReason = Map.groupBy(skipped, ({ finding }) => reasonOf(finding))
  const reasons = [...byReason].map(
    ([reason, all]) => `  ${plain(reason)}\n          ${names(all.map(({ check }) => check.id))}`,
  )
  const { published, called } = tools
  if (called < published) reasons.push(`  ${published - called} of ${published} tools. Give --tools ${published}.`)
  return [...reasons, '  How the site stores tokens, and what it logs: no request can show that.']
}

const reasonOf = ({ why, how }: Skipped): string => `${why} ${how}`

function names(ids: string[]): string {
  const more = ids.length - maxNames
  return more > 0 ? `${ids.slice(0, maxNames).join(', ')} and ${more} more` : ids.join(', ')
}

function summary(report: Report): string {
  const count = (result: Finding['result']) => report.checked.filter(({ finding }) => finding.result === result).length
  const counts = `${count('passed')} passed, ${count('failed')} failed, ${count('warning')} to consider, ${count('skipped')} not checked.`
  return isPartial(report)
    ? `${counts} The list above says how to check the rest. With --strict, the checker fails if anything is not checked.`
    : counts
}

export const asJson = ({ site, requests, userAgent, tools, checked }: Report) => ({
  site,
  requests,
  userAgent,
  tools,
  checks: checked.map(({ group, check: { id, requirement, section, fix }, finding }) => {
    return { id, group, requirement, section, fix, ...finding }
  }),
})

/** A site's text may contain control characters, which a terminal would execute. */
const plain = (text: string): string => text.replaceAll(/\p{C}/gu, '\uFFFD')
