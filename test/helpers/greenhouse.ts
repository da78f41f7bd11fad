import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { eventually } from './eventually.ts'
import { temporaryCertificates } from './https-server.ts'

/** The example site in Python on a free port, ended with the test. Needs python3. */
export async function startGreenhouse(t: ExecutionContext) {
  const { certFile, keyFile, caFile } = await temporaryCertificates()
  const args = ['examples/sites/greenhouse/greenhouse.py', '--cert', certFile, '--key', keyFile, '--port', '0']
  const child = spawn('python3', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  /** What it prints: its address, its tokens, then one line per request. */
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const told = (pattern: RegExp) =>
    eventually(30, `the greenhouse prints ${pattern}`, () => pattern.exec(lines.join('\n'))?.[1])
  const origin = await told(/^The greenhouse is at (.+)$/m)
  const gardener = await told(/^A token for gardener .*: (.+)$/m)
  const visitor = await told(/^A token for visitor .*: (.+)$/m)
  return { origin, host: new URL(origin).host, gardener, visitor, caFile, lines }
}
