import type { Checked, Report } from './check-site.ts'

const marks = { passed: 'ok  ', failed: 'FAIL', warning: 'warn', skipped: 'skip' } as const

/** Lines under one duty. */
const mostLines = 20

/** The report for people: a line for each duty, and under what is wrong why, and how to mend it. */
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
  const head = `  ${marks[finding.result]}  ${check.demands}  [${check.id}]`
  if (finding.result === 'passed') return [head]
  if (finding.result === 'skipped') return [`${head}\n          not tried: ${plain(finding.why)}`]
  const why = finding.why.slice(0, mostLines).map((place) => `          ${plain(place)}`)
  const more = finding.why.length - why.length
  if (more > 0) why.push(`          … and ${more} more, which --json shows.`)
  return [head, ...why, `          Mend: ${check.mend} (${check.section})`]
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
  checks: checked.map(({ group, check: { id, demands, section, mend }, finding }) => {
    return { id, group, demands, section, mend, ...finding }
  }),
})

/** What a site says may hold control characters, which a terminal would obey. */
const plain = (text: string): string => text.replaceAll(/\p{C}/gu, '\uFFFD')
