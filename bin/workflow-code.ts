import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'

const bundler = fileURLToPath(new URL('bundle.ts', import.meta.url))
const ownRoot = fileURLToPath(new URL('..', import.meta.url))

const mostBytes = 100 * 1024 ** 2

/**
 * Bundles the workflow code of the project at `root` for Temporal's sandbox; takes a few seconds. Another process does
 * it, because the bundler would keep 100 MB of this one for good. It gets no environment, so no secrets.
 */
export async function bundleWorkflows(root = ownRoot): Promise<{ code: string }> {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [bundler, root], { env: {}, maxBuffer: mostBytes })
  return { code: stdout }
}
