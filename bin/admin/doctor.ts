import { resolve } from 'node:path'
import { migrations } from '../../migrations/index.ts'
import { readConfig, type Config } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/environment.ts'
import { usualFolder } from '../../src/config/local-config.ts'
import { installationChecks } from '../../src/health/checks/checks.ts'
import { examine, type NamedFinding } from '../../src/health/examine.ts'
import { failing, type Check } from '../../src/health/finding.ts'
import { createLogger } from '../../src/logger.ts'
import { createServices } from '../../src/services.ts'
import { isRunningHere, settingsOfRunningStart } from '../shared-settings.ts'
import type { LoneCommand } from './admin-command.ts'
import type { Outside } from './doctor/context.ts'
import { outsideChecks, payingChecks } from './doctor/outside.ts'

/** A line for each problem, with the fix. Needs neither a running platform nor a working database. */
export const doctor: LoneCommand = {
  takes: '[--all] [--try-providers]',
  does: 'names what is wrong with this installation, with the fix',
  async alone(words, usage) {
    const unknown = words.find((word) => word !== '--all' && word !== '--try-providers')
    if (unknown !== undefined) throw new Error(`There is no option "${unknown}": ${usage}`)
    const findings = await findAll(words.includes('--try-providers'))
    if (findings.some(({ status }) => status === 'failing')) process.exitCode = 1
    return inWords(findings, words.includes('--all'))
  },
}

async function findAll(tries: boolean): Promise<NamedFinding[]> {
  const settings = settingsOfRunningStart()
  const config = readSettings(settings)
  if (Array.isArray(config)) return config
  // Its warnings would be lines between the findings, and say the same.
  const services = createServices(config, createLogger('silent', 'doctor'), { migrations })
  const folders = isRunningHere(settings) ? [resolve(settings['DATA_DIR'] ?? usualFolder)] : []
  const checks: Check<Outside>[] = [...installationChecks, ...outsideChecks, ...(tries ? payingChecks : [])]
  try {
    return await examine(checks, { ...services, folders })
  } finally {
    await services.close()
  }
}

/** The configuration, or its problems. */
function readSettings(settings: Record<string, string>): Config | NamedFinding[] {
  try {
    return readConfig(settings)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const fix = isRunningHere(settings)
      ? 'Correct it. See docs/operate/configure.md.'
      : 'Give this command the settings of the API, or start `npm start` here. See docs/operate/configure.md.'
    return error.problems.map((problem) => ({ name: 'settings', ...failing(`${problem}.`, fix) }))
  }
}

/** One line each, whatever providers said. */
const lineOf = ({ name, status, message, fix }: NamedFinding): string =>
  `${status} ${name}: ${message}${fix === null ? '' : ` Fix: ${fix}`}`.replaceAll(/\s+/g, ' ')

function inWords(findings: NamedFinding[], all: boolean): string {
  const lines = findings.filter(({ status }) => all || status !== 'ok').map(lineOf)
  const isWell = findings.every(({ status }) => status === 'ok')
  return [...lines, ...(isWell ? [`All ${findings.length} checks found nothing wrong.`] : [])].join('\n')
}
