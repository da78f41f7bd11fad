import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { ExecutionContext } from 'ava'

interface DoorOptions {
  /** The address that it listens at. */
  host?: string
  /** The certificate and key of a door that is entered by TLS. */
  tls?: Pick<TlsOptions, 'cert' | 'key'>
}

/**
 * A proxy to a Temporal server: Temporal can be away for those who use this address, while others still reach it.
 * `stop` breaks all connections and refuses new ones; `start` lets them through again. `mute` lets connections stand
 * and passes no bytes, as a network does that drops packets; `unmute` passes what was sent meanwhile.
 */
export async function openTemporalDoor(t: ExecutionContext, temporal: string, options: DoorOptions = {}) {
  const { host = '127.0.0.1', tls } = options
  const { hostname, port } = new URL(`tcp://${temporal}`)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let isMute = false
  const enter = (caller: Socket) => {
    sockets.add(caller.on('error', () => undefined).on('close', () => sockets.delete(caller)))
    if (isMute) held.push(() => join(caller))
    else join(caller)
  }
  const server = tls ? createTlsServer({ ...tls, ALPNProtocols: ['h2'] }, enter) : createServer(enter)

  function join(caller: Socket): void {
    const other = connect(Number(port), hostname)
    sockets.add(other.on('error', () => undefined).on('close', () => sockets.delete(other)))
    for (const [from, to] of [
      [caller, other],
      [other, caller],
    ] as const)
      from.on('close', () => to.destroy()).pipe(to)
  }

  const listen = async (at: number): Promise<void> => void (await once(server.listen(at, host), 'listening'))
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.teardown(stop)
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${own}`,
    stop,
    start: () => listen(own),
    mute: (): void => {
      isMute = true
      for (const socket of sockets) socket.pause()
    },
    unmute: (): void => {
      isMute = false
      for (const socket of sockets) socket.resume()
      for (const join of held.splice(0)) join()
    },
  }
}
