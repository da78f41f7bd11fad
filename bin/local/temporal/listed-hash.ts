import { createHash } from 'node:crypto'
import { createReadStream, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** Something has another SHA-256 than the listed one, so it must not be used. */
export class OtherHashError extends Error {
  override readonly name = 'OtherHashError'
  constructor(what: string, actual: string, expected: string) {
    super(`The ${what} is refused: its SHA-256 is ${actual}, and ${expected} was expected.`)
  }
}

/** Removes a file with another SHA-256, and throws an OtherHashError that names both. */
export async function refuseOther(what: string, file: string, expected: string): Promise<void> {
  const actual = await sha256Of(file)
  if (actual === expected) return
  rmSync(file)
  throw new OtherHashError(what, actual, expected)
}

/** In hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
