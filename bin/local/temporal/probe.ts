import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { execa } from '../../execa.ts'

/** The oldest server that supports our command line and settings (Temporal CLI 1.5). */
const oldest = { major: 1, minor: 29 }

/**
 * The output of a program, or undefined if it is missing, fails, or has not ended in time. It is then killed with its
 * descendants, so that no start hangs on a probe.
 */
export async function probe(command: string, args: string[], env: Record<string, string>, seconds = 10) {
  const { failed, stdout } = await execa(command, args, {
    env,
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
    killDescendants: true,
    reject: false,
  })
  return failed ? undefined : stdout
}

/** Checks the version of the server inside, because builds from source have no CLI version. */
export async function isUsable(binary: string, env: Record<string, string>): Promise<boolean> {
  // A large program on a busy disk takes seconds.
  const printed = existsSync(binary) ? await probe(binary, ['--version'], env, 20) : undefined
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(printed ?? '')?.map(Number) ?? []
  if (major === undefined || minor === undefined) return false
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}

/** Throws a sentence that names both hashes (SHA-256, hexadecimal) if the file has another one. */
export async function refuseOther(what: string, file: string, expected: string): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const actual = hash.digest('hex')
  if (actual !== expected) throw new Error(otherHash(what, actual, expected))
}

/** The sentence about a different hash. */
export const otherHash = (what: string, actual: string, expected: string): string =>
  `the ${what} is refused: its SHA-256 is ${actual}, but ${expected} was expected`
