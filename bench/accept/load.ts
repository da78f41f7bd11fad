import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../shared/folder.ts'
import { versionOf } from '../shared/peers.ts'
import type { Load, Send } from './send.ts'
import { wrk } from './wrk.ts'

/** wrk if it is installed, otherwise autocannon, and its name. The same for all sides. */
export function chooseLoad(): { name: string; send: Send } {
  const found = spawnSync('wrk', ['--version'], { encoding: 'utf8' })
  const [, version] = /^wrk (\S+)/.exec(found.stdout ?? '') ?? []
  if (version) return { name: `wrk ${version}, 1 thread`, send: (...given) => wrk(temporaryFolder, ...given) }
  const name = `autocannon ${versionOf('autocannon')} (install wrk for a fairer comparison: it needs less CPU)`
  return { name, send: autocannon }
}

const program = fileURLToPath(new URL('../peers/load.ts', import.meta.url))

async function autocannon(...given: Parameters<Send>): Promise<Load> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(given)], { maxBuffer: 1e8 })
  return JSON.parse(stdout) as Load
}

/** Several loads at the same time, as one. */
export const together = (loads: Load[]): Load => ({
  rate: loads.reduce((sum, { rate }) => sum + rate, 0),
  accepted: loads.reduce((sum, { accepted }) => sum + accepted, 0),
  p99: Math.max(...loads.map(({ p99 }) => p99)),
})
