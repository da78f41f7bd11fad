import { spawnSync } from 'node:child_process'
import test, { type ExecutionContext } from 'ava'

type DeclareTest = (title: string, implementation: (t: ExecutionContext) => Promise<void>) => void

const asked = {
  python3: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
  pip: ['python3', '-m', 'pip', '--version'],
  uv: ['uv', '--version'],
  openssl: ['openssl', 'version'],
  curl: ['curl', '-V'],
  pgbouncer: ['pgbouncer', '--version'],
  promtool: ['promtool', '--version'],
  prometheus: ['prometheus', '--version'],
} as const

function isThere(program: keyof typeof asked): boolean {
  const [command, ...args] = asked[program]
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/**
 * Declares a test that needs programs other than npm packages. If some are missing, the test is listed as skipped,
 * with their names.
 */
export function testWith(...programs: (keyof typeof asked)[]): DeclareTest {
  const missing = programs.filter((program) => !isThere(program))
  if (missing.length === 0) return test
  return (title, implementation) => test.skip(`${title} (needs ${missing.join(' and ')})`, implementation)
}
