import { execFileSync } from 'node:child_process'
import { arch, cpus, platform, release, totalmem } from 'node:os'
import { markdownOf, type Report } from './report.ts'

/** The page of figures: how they were made, on what, when, and the tables. */
export function pageOf(reports: Report[], now = new Date()): string {
  return `# Performance

Figures of this release, measured on one machine by one command. Rates depend on the machine, so compare the sides of a
table with each other and not with figures from elsewhere.

| what    | value                                  |
| ------- | -------------------------------------- |
| command | \`npm run bench\` |
| date    | ${now.toISOString().slice(0, 10)} |
| commit  | ${commit()} |
| machine | ${machine()} |
| Node    | ${process.versions.node} |

${reports.map(markdownOf).join('\n\n')}
`
}

function machine(): string {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${cpus().length} × ${cpu?.model.trim() ?? 'processor'}, ${memory}, ${platform()} ${release()} ${arch()}`
}

/** The commit that was measured, and whether files differed from it. */
function commit(): string {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' }).trim()
  return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : ', with changes')
}
