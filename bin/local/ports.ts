import { randomInt } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import getPort, { portNumbers } from 'get-port'
import { lockHolder, releaseLock, takeLock } from './lock.ts'

const host = '127.0.0.1'
const folder = join(tmpdir(), `switchyard-ports-${userInfo().uid}`)
const lockOf = (port: number): string => join(folder, String(port))

const taken: number[] = []
process.on('exit', () => taken.forEach((port) => releaseLock(lockOf(port))))

/** A required port, its use, and the variable that sets it. */
export interface NeededPort {
  port: number
  use: string
  variable: string
}

/** One sentence for each required port that is taken or used twice. */
export async function portProblems(needed: NeededPort[]): Promise<string[]> {
  const problems = await Promise.all(
    needed.map(async ({ port, use, variable }, index) => {
      const twin = needed.slice(0, index).find((other) => other.port === port)
      if (twin) return `Port ${port} is set for both ${twin.use} (${twin.variable}) and ${use} (${variable}).`
      if ((await getPort({ host, port })) === port) return []
      return `Port ${port} (${use}) is taken. Free it, or set ${variable} to another one.`
    }),
  )
  return problems.flat()
}

/**
 * The first free port of the loopback address after this one, of a hundred; otherwise any free one. It is none of those
 * that are needed later, nor one that `freePorts` has given to a process.
 */
export function freePortAfter(port: number, { needed }: { needed: readonly number[] }): Promise<number> {
  const range = [...portNumbers(Math.min(port + 1, 65_435), Math.min(port + 100, 65_535))]
  return getPort({ host, port: range.filter((one) => !needed.includes(one) && lockHolder(lockOf(one)) === undefined) })
}

/**
 * Free ports of the loopback address below 32768: systems assign higher ports to outgoing connections and to servers
 * without a fixed port. No other process gets these ports while this one lives. A retry on failure to listen is not
 * enough, because a readiness probe would find the server of the other process.
 */
export async function freePorts(count: number, { from, to } = { from: 20_000, to: 32_768 }): Promise<number[]> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const ports: number[] = []
  while (ports.length < count) {
    const candidates = Array.from({ length: 100 }, () => randomInt(from, to))
    const port = await getPort({ host, port: candidates })
    if (!takeLock(lockOf(port))) ports.push(port)
  }
  taken.push(...ports)
  return ports
}
