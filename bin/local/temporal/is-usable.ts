import { existsSync } from 'node:fs'
import { probe } from './probe.ts'

/** The oldest server with the command line and settings that we use (Temporal CLI 1.5). */
const oldestServer = [1, 29] as const

/** A large program on a busy disk takes seconds. */
const seconds = 20

/** Checks the version of the server inside, because builds from source have no CLI version. */
export async function isUsable(binary: string, environment: Record<string, string>): Promise<boolean> {
  if (!existsSync(binary)) return false
  const printed = (await probe(binary, ['--version'], environment, seconds)) ?? ''
  const [, major, minor] = /Server (\d+)\.(\d+)/.exec(printed) ?? []
  if (major === undefined || minor === undefined) return false
  return Number(major) > oldestServer[0] || (Number(major) === oldestServer[0] && Number(minor) >= oldestServer[1])
}
