import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { ExecutionContext } from 'ava'
import { eventually } from './eventually.ts'
import { temporaryCertificates } from './https-server.ts'

/** Starts an example site as a program of its own on a free port, and ends it with the test. */
export async function startExample(t: ExecutionContext, program: string, file: string) {
  const { certFile, keyFile, caFile } = await temporaryCertificates()
  const args = [file, '--cert', certFile, '--key', keyFile, '--port', '0']
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  /** Its output: its address, its tokens, then perhaps one line per request. */
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  const printed = (pattern: RegExp) =>
    eventually(30, `${file} prints ${pattern}`, () => pattern.exec(lines.join('\n'))?.[1])
  const origin = await printed(/^The \w+ is at (.+)$/m)
  const tokenOf = (user: string) => printed(new RegExp(`^A token for ${user}\\b.*: (.+)$`, 'm'))
  return { origin, host: new URL(origin).host, caFile, lines, tokenOf }
}
