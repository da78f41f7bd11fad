import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const bundler = fileURLToPath(new URL('bundle.ts', import.meta.url))
const ownRoot = fileURLToPath(new URL('..', import.meta.url))

const longestMs = 120_000

/**
 * Bundles the workflow code of the project at `root` for Temporal's sandbox; takes a few seconds. Another process does
 * it, because the bundler would keep 100 MB of this one for good. It gets no environment, so no secrets, and ends with
 * this process.
 */
export async function bundleWorkflows(root = ownRoot): Promise<{ code: string }> {
  const child = fork(bundler, [root], { env: {}, timeout: longestMs })
  const [code] = (await Promise.race([once(child, 'message'), failureOf(child)])) as [string]
  return { code }
}

async function failureOf(child: ChildProcess): Promise<never> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  throw new Error(`The process that bundles the workflow code ended early: ${signal ?? `exit code ${code}`}.`)
}
