import { resolve } from 'node:path'
import { migrations } from '../../../migrations/index.ts'
import { readConfig, type Config } from '../../../src/config/config.ts'
import { ConfigError } from '../../../src/config/environment.ts'
import { usualFolder } from '../../../src/config/local-config.ts'
import { installationChecks } from '../../../src/health/checks/checks.ts'
import { examine, type NamedFinding } from '../../../src/health/examine.ts'
import { failing, type Check } from '../../../src/health/finding.ts'
import { createLogger } from '../../../src/logger.ts'
import { createServices } from '../../../src/services.ts'
import { isRunningHere, settingsOfRunningStart } from '../../shared-settings.ts'
import type { Outside } from './context.ts'
import { outsideChecks, payingChecks } from './outside.ts'

/** Examines the settings, and with them the installation. `tries` also asks the AI providers, which charge for it. */
export async function findAll(tries: boolean): Promise<NamedFinding[]> {
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
