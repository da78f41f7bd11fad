import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

/**
 * A proxy to a database: Postgres can be away at this URL while others still reach it. `stop` breaks all connections
 * and refuses new ones, like a stopped Postgres; `start` lets them through again. `unconfirmed` breaks the connection
 * that commits a transaction with the given text in one of its statements, once, after Postgres has committed it.
 */
export async function openDatabaseDoor(t: ExecutionContext, database: string) {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  const marked = new Set<string>()
  const server = createServer((caller) => {
    const postgres = connect(Number(port), hostname)
    watchCommits(caller, postgres)
    join(caller, postgres)
    join(postgres, caller)
  })

  function watchCommits(caller: Socket, postgres: Socket): void {
    let isMarked = false
    caller.on('data', (bytes: Buffer) => {
      if (marked.size === 0 && !isMarked) return
      const sent = bytes.toString('latin1')
      for (const text of marked) if (sent.includes(text)) isMarked = marked.delete(text)
      if (!isMarked || !/\bcommit\b/i.test(sent)) return
      postgres.unpipe(caller)
      postgres.once('data', () => caller.destroy()).resume()
    })
  }

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
  // Over TCP instead of the socket that other tests use.
  url.search = ''
  return {
    url: url.href,
    stop,
    start: () => listen(own),
    unconfirmed: (text: string) => void marked.add(text),
    /** Whether all of them were broken. */
    areBroken: () => marked.size === 0,
  }
}
