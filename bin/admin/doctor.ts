import type { NamedFinding } from '../../src/health/examine.ts'
import type { LoneCommand } from './admin-command.ts'

/** A line for each problem, with the fix. Needs neither a running platform nor a working database. */
export const doctor: LoneCommand = {
  takes: '[--all] [--try-providers]',
  does: 'names what is wrong with this installation, with the fix',
  async alone(words, usage) {
    const unknown = words.find((word) => word !== '--all' && word !== '--try-providers')
    if (unknown !== undefined) throw new Error(`There is no option "${unknown}": ${usage}`)
    // It loads the whole platform. Other commands start faster without it.
    const { findAll } = await import('./doctor/find-all.ts')
    const findings = await findAll(words.includes('--try-providers'))
    if (findings.some(({ status }) => status === 'failing')) process.exitCode = 1
    return inWords(findings, words.includes('--all'))
  },
}

/** One line each, whatever providers said. */
const lineOf = ({ name, status, message, fix }: NamedFinding): string =>
  `${status} ${name}: ${message}${fix === null ? '' : ` Fix: ${fix}`}`.replaceAll(/\s+/g, ' ')

function inWords(findings: NamedFinding[], all: boolean): string {
  const lines = findings.filter(({ status }) => all || status !== 'ok').map(lineOf)
  const isWell = findings.every(({ status }) => status === 'ok')
  return [...lines, ...(isWell ? [`All ${findings.length} checks found nothing wrong.`] : [])].join('\n')
}
