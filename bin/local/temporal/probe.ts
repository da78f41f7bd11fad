import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { execa } from 'execa'

/** The oldest server with the command line and settings that we use (Temporal CLI 1.5). */
const oldest = { major: 1, minor: 29 }

/**
 * What a program prints, or undefined if it is not there, fails, or has not ended after so many seconds. It is killed
 * then, with its descendants: no start may hang on a program that it only asks.
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

/** What is said of a hash that differs. */
export const otherHash = (what: string, actual: string, expected: string): string =>
  `the ${what} is refused: its SHA-256 is ${actual}, and ${expected} was expected`
