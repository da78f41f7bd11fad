import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

/** The pause between two attempts to reach Temporal, in milliseconds. */
const pauseMs = 250

/**
 * How long one attempt may take, in milliseconds. A new attempt sends a packet immediately. The operating system would
 * wait longer and longer between the packets of one attempt.
 */
const attemptMs = 2000

/** A connection that has waited this long, in milliseconds, means that Temporal is away. */
const heldMs = 10_000

/**
 * An HTTP proxy in this process through which a worker connects to Temporal. It knows no other destination, and it
 * serves only callers with its password, because any local process can connect to its port.
 *
 * Temporal's core pauses for up to ten seconds after a failed call, and longer with each failure. The proxy therefore
 * fails no connection: while Temporal is away, it holds the new one until Temporal is back. TLS passes through it, so
 * the core verifies Temporal's certificate itself. Once the signal aborts, the proxy no longer holds connections: each
 * gets the attempt that is under way, or one if it is new.
 */
export async function openTunnel(address: string, signal: AbortSignal) {
  const { hostname, port } = destinationOf(address)
  const destination = { host: hostname.replace(/^\[|\]$/g, ''), port, noDelay: true }
  const basicAuth = { username: 'worker', password: randomBytes(32).toString('base64url') }
  const open = new Set<Duplex>()
  const waiting = new Map<Duplex, number>()
  const server = createServer((_request, response) => response.writeHead(405).end())
  server.on('connect', (request, caller: Duplex, head: Buffer) => {
    open.add(caller.on('error', () => undefined).on('close', () => open.delete(caller)))
    const refusal = refusalOf(request)
    if (refusal) caller.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\n\r\n`, () => caller.destroy())
    else void pass(caller, head)
  })

  /** What RFC 9110 answers to a caller without the password, or one that asks for another destination. */
  function refusalOf({ url, headers }: IncomingMessage): string | undefined {
    if (!isCredential(headers['proxy-authorization'], basicAuth)) {
      return '407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="worker"'
    }
    const asked = destinationOf(url ?? '')
    return asked.hostname === hostname && asked.port === port ? undefined : '403 Forbidden'
  }

  async function pass(caller: Duplex, head: Buffer): Promise<void> {
    waiting.set(caller, performance.now())
    const stopReading = readAhead(caller, head)
    const temporal = await reach(caller)
    waiting.delete(caller)
    if (!temporal) return void caller.destroy()
    stopReading()
    caller.write('HTTP/1.1 200 OK\r\n\r\n')
    pipeline(caller, temporal, caller, () => undefined)
  }

  /** Undefined once the caller has hung up, or after a failed attempt once the signal has aborted. */
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
    /** For the SDK's connection. */
    proxy: {
      type: 'http-connect' as const,
      targetHost: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      basicAuth,
    },
    /** Whether a connection has waited for Temporal for more than ten seconds. */
    isHeld: (): boolean => [...waiting.values()].some((since) => performance.now() - since > heldMs),
    close(): void {
      server.close()
      for (const caller of open) caller.destroy()
    },
  }
}

/**
 * Reads a caller that waits, because a stream reports its end only to a reader, and destroys it at its end. The returned
 * function stops that and puts back what was read, which begins with the bytes that came with the request.
 */
function readAhead(caller: Duplex, head: Buffer): () => void {
  const pieces = [head]
  const keep = (piece: Buffer) => void pieces.push(piece)
  const letGo = () => void caller.destroy()
  caller.on('data', keep).once('end', letGo)
  return () => {
    caller.off('data', keep).off('end', letGo).pause()
    caller.unshift(Buffer.concat(pieces))
  }
}

/** Temporal's default port, which its SDK uses for an address without one. */
const defaultPort = 7233

function destinationOf(address: string): { hostname: string; port: number } {
  const { hostname = '', port = '' } = URL.parse(`tcp://${address}`) ?? {}
  return { hostname: hostname.toLowerCase(), port: Number(port) || defaultPort }
}

/** Compares in constant time. */
function isCredential(header: string | undefined, { username, password }: { username: string; password: string }) {
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`)
  const given = Buffer.from(header ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
