import { spawnSync } from 'node:child_process'
import test, { type ExecutionContext } from 'ava'

type DeclareTest = (title: string, implementation: (t: ExecutionContext) => Promise<void>) => void

const asked = {
  python3: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
  pip: ['python3', '-m', 'pip', '--version'],
  uv: ['uv', '--version'],
  openssl: ['openssl', 'version'],
  curl: ['curl', '-V'],
} as const

function isThere(program: keyof typeof asked): boolean {
  const [command, ...args] = asked[program]
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** Declares a test that needs programs which npm does not bring. Where one is missing, it is listed as skipped. */
export const testWith = (...programs: (keyof typeof asked)[]): DeclareTest =>
  programs.every(isThere) ? test : test.skip
