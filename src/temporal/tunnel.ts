import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** The pause between two attempts to reach Temporal, in milliseconds. */
const pauseMs = 250

/** How long one attempt may take, in milliseconds. The next one sends a packet at once, which the system would not. */
const attemptMs = 2000

/**
 * The way of a worker's connection to Temporal: an HTTP proxy of this process, which knows no other destination.
 * Temporal's core pauses for up to ten seconds after a failed call, and longer with each failure. The proxy therefore
 * lets no connection fail: while Temporal is away, it holds the new one until Temporal is back. TLS passes through it,
 * so the core verifies Temporal's certificate as without it. Once the signal aborts, connections fail at once.
 */
export async function openTunnel(address: string, signal: AbortSignal) {
  const { hostname, port } = new URL(`tcp://${address}`)
  const destination = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || defaultPort, noDelay: true }
  const open = new Set<Duplex>()
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connect', (_request, caller: Duplex) => {
    open.add(caller.on('error', () => undefined).on('close', () => open.delete(caller)))
    void pass(caller)
  })

  async function pass(caller: Duplex): Promise<void> {
    const temporal = await reach(caller)
    if (!temporal) return void caller.destroy()
    caller.write('HTTP/1.1 200 OK\r\n\r\n')
    pipeline(caller, temporal, caller, () => undefined)
  }

  /** Undefined if nobody waits for it any more. */
  async function reach(caller: Duplex): Promise<Socket | undefined> {
    while (!caller.destroyed) {
      const temporal = await attempt()
      if (temporal && !caller.destroyed) return temporal
      temporal?.destroy()
      if (signal.aborted) return undefined
      await delay(pauseMs, undefined, { signal }).catch(() => undefined)
    }
    return undefined
  }

  async function attempt(): Promise<Socket | undefined> {
    const temporal = connect(destination)
    try {
      await once(temporal, 'connect', { signal: AbortSignal.timeout(attemptMs) })
      return temporal.on('error', () => undefined)
    } catch {
      temporal.on('error', () => undefined).destroy()
      return undefined
    }
  }

  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    /** Its `host:port`. */
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.close()
      for (const caller of open) caller.destroy()
    },
  }
}

/** Temporal's own, which its SDK uses for an address without a port. */
const defaultPort = 7233
