import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from '../execa.ts'
import { printDuration } from '../local/print-duration.ts'
import type { Settings } from './platform-client.ts'

/** The suite and its exact version. It is installed on demand, because it brings a hundred packages of its own. */
const [suite, version] = ['@modelcontextprotocol/conformance', '0.2.0-alpha.12']
const program = fileURLToPath(new URL('program.ts', import.meta.url))

/** What the suite says about one scenario. */
export interface Verdict {
  revision: string
  scenario: string
  passed: number
  /** Sentences of the suite, or the program's output if there are none. */
  problems: string[]
}

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
  description: string
}

/** Longer than a scenario may take by its own limit. */
const timeout = 90_000

/** Installs the suite in the folder. Returns the path of its program. */
export async function installSuite(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const given = ['install', '--no-audit', '--no-fund', '--loglevel', 'error', `${suite}@${version}`]
  await printDuration(`npm ${given[0]} ${suite}@${version}`, () =>
    execa('npm', given, { cwd: folder, stdin: 'ignore' }),
  )
  return join(folder, 'node_modules', suite, 'dist/index.js')
}

/** Makes the function that tries a scenario with the platform as its client. */
export function createAttempt({
  bin,
  folder,
  ...settings
}: Settings & { bin: string; folder: string; caFile: string }) {
  const settingsFile = join(folder, 'settings.json')
  writeFileSync(settingsFile, JSON.stringify(settings))
  const command = `${process.execPath} ${program} ${settingsFile}`

  return async (revision: string, scenario: string): Promise<Verdict> => {
    const results = join(folder, 'results', revision, scenario)
    mkdirSync(results, { recursive: true })
    const options = ['--scenario', scenario, '--spec-version', revision, '--timeout', '60000', '-o', results]
    const { failed, all } = await execa(process.execPath, [bin, 'client', '--command', command, ...options], {
      ...running(folder),
      env: { NODE_EXTRA_CA_CERTS: settings.caFile },
    })
    return { revision, scenario, ...judge(checksIn(results), failed, all) }
  }
}

const running = (folder: string) => ({ cwd: folder, stdin: 'ignore', all: true, reject: false, timeout }) as const

/** Makes the function that tries a scenario with the server at the address. `name` keeps its results apart. */
export const createServerAttempt =
  ({ bin, folder, url, name }: { bin: string; folder: string; url: string; name: string }) =>
  async (revision: string, scenario: string): Promise<Verdict> => {
    const results = join(folder, 'results', name, revision, scenario)
    mkdirSync(results, { recursive: true })
    const given = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', results]
    const { failed, all } = await execa(process.execPath, [bin, ...given], running(folder))
    return { revision, scenario, ...judge(checksIn(results), failed, all) }
  }

function checksIn(results: string): Check[] {
  const file = readdirSync(results, { recursive: true }).find((path) => String(path).endsWith('checks.json'))
  const path = join(results, String(file))
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Check[]) : []
}

function judge(checks: Check[], failed: boolean, output: string): Pick<Verdict, 'passed' | 'problems'> {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  const bad = failed ? checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING') : []
  const problems = bad.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`)
  // A scenario that was skipped, or whose program failed, has shown nothing.
  const hasShownNothing = problems.length === 0 && (failed || passed === 0)
  return { passed, problems: hasShownNothing ? [output.slice(-longestOutput)] : problems }
}

const longestOutput = 600
