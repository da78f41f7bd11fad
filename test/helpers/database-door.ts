import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

/**
 * A proxy to a database: Postgres can be away at this URL while others still reach it. `stop` breaks all connections
 * and refuses new ones, like a stopped Postgres; `start` lets them through again.
 */
export async function openDatabaseDoor(t: ExecutionContext, database: string) {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    const postgres = connect(Number(port), hostname)
    join(caller, postgres)
    join(postgres, caller)
  })

  function join(from: Socket, to: Socket): void {
    sockets.add(from)
    from
      .on('error', () => undefined)
      .on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    from.pipe(to)
  }

  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.teardown(stop)
  const url = new URL(database)
  url.hostname = '127.0.0.1'
  url.port = String(own)
  // By TCP, not by the socket that other tests use.
  url.search = ''
  return { url: url.href, stop, start: () => listen(own) }
}
