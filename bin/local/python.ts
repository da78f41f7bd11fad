import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from '../execa.ts'
import { underLock } from './lock.ts'
import { printDuration } from './print-duration.ts'

/** A virtual environment, or a sentence about what is missing for it. */
export type PythonPackages = { bin: (name: string) => string } | { problem: string }

/**
 * A virtual environment at `venv` with the packages of the requirements file, made once. Needs Python 3.11 or later
 * and its package index.
 */
export async function pythonPackages(requirementsFile: string, venv: string): Promise<PythonPackages> {
  const found = await execa('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { reject: false })
  if (found.failed) return { problem: 'python3 is missing or older than version 3.11.' }
  const ready = { bin: (name: string) => join(venv, 'bin', name) }
  const installed = join(venv, 'installed.txt')
  const requirements = readFileSync(requirementsFile, 'utf8')
  const isInstalled = (): boolean => existsSync(installed) && readFileSync(installed, 'utf8') === requirements
  if (isInstalled()) return ready
  mkdirSync(dirname(venv), { recursive: true })
  const onWait = ({ pid }: { pid: number }) => console.log(`Process ${pid} is already making ${venv}; waiting for it.`)
  return underLock(`${venv}.lock`, onWait, async () => {
    // Another process may have made it meanwhile.
    const problem = isInstalled() ? undefined : await install(requirementsFile, venv)
    if (problem !== undefined) return { problem }
    writeFileSync(installed, requirements)
    return ready
  })
}

/** Returns a sentence about what went wrong, if anything. */
async function install(requirementsFile: string, venv: string): Promise<string | undefined> {
  const made = await execa('python3', ['-m', 'venv', '--clear', venv], { reject: false })
  if (made.failed) return `python3 could not create a virtual environment. ${made.stderr}`
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirementsFile]
  const result = await printDuration('pip install', () => execa(join(venv, 'bin', 'python'), pip, { reject: false }))
  return result.failed ? `pip could not install the packages. ${result.stderr.slice(-500)}` : undefined
}
