import type { Checked, Report } from './check-site.ts'

const marks = { passed: 'ok  ', failed: 'FAIL', warning: 'warn', skipped: 'skip' } as const

/** Lines per requirement. */
const maxLines = 20

/** The report for people: a line for each requirement and, under a violated one, the problems and how to fix them. */
export function written(report: Report): string {
  const byGroup = Map.groupBy(report.checked, ({ group }) => group)
  const parts = [...byGroup].map(([group, checked]) => [group, ...checked.flatMap(lines)].join('\n'))
  return [
    `Checked ${report.site} with ${report.requests} requests, as ${report.userAgent}.`,
    ...parts,
    summary(report),
  ].join('\n\n')
}

function lines({ check, finding }: Checked): string[] {
  const head = `  ${marks[finding.result]}  ${check.requirement}  [${check.id}]`
  if (finding.result === 'passed') return [head]
  if (finding.result === 'skipped') return [`${head}\n          not tried: ${plain(finding.why)}`]
  const why = finding.why.slice(0, maxLines).map((place) => `          ${plain(place)}`)
  const more = finding.why.length - why.length
  if (more > 0) why.push(`          … and ${more} more, which --json shows.`)
  return [head, ...why, `          Fix: ${check.fix} (${check.section})`]
}

function summary({ checked }: Report): string {
  const count = (result: Checked['finding']['result']) =>
    checked.filter(({ finding }) => finding.result === result).length
  return `${count('passed')} passed, ${count('failed')} failed, ${count('warning')} to consider, ${count('skipped')} not tried.`
}

/** The report as data. */
export const asJson = ({ site, requests, userAgent, checked }: Report) => ({
  site,
  requests,
  userAgent,
  checks: checked.map(({ group, check: { id, requirement, section, fix }, finding }) => {
    return { id, group, requirement, section, fix, ...finding }
  }),
})

/** A site's text may contain control characters, which a terminal would obey. */
const plain = (text: string): string => text.replaceAll(/\p{C}/gu, '\uFFFD')
