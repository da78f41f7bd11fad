import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** A port that is needed: what for, and which variable names another one. */
export interface NeededPort {
  port: number
  use: string
  variable: string
}

/** One sentence for each needed port that somebody else has, or that two of ours would share. */
export async function portProblems(needed: NeededPort[]): Promise<string[]> {
  const problems = await Promise.all(
    needed.map(async ({ port, use, variable }, index) => {
      const twin = needed.slice(0, index).find((other) => other.port === port)
      if (twin) return `Port ${port} is meant for ${twin.use} (${twin.variable}) and for ${use} (${variable}).`
      if (await isFree(port)) return []
      return `Port ${port} (${use}) is taken. Free it, or set ${variable} to another one.`
    }),
  )
  return problems.flat()
}

/**
 * Ports of the loopback address that nobody has at this moment, and that stay free until they are taken: systems give
 * the ports of outgoing connections, and those that servers leave to them, from 32768 on. Such a port can go to
 * somebody else before the server it was meant for listens, or while that server is being restarted.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(20_000, 32_768)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes(String((error as { code?: unknown }).code))) return false
    throw error
  }
}
