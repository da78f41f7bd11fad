import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'

/**
 * A proxy to a database: Postgres can be away at this URL while others still reach it. `stop` breaks all connections
 * and refuses new ones, like a stopped Postgres; `start` lets them through again. `unconfirmed` breaks the connection
 * that commits a transaction with the given text in one of its statements, once, after Postgres has committed it. `unsent`
 * breaks the one that sends a statement with the given text, once, before Postgres gets it. `hold` keeps what the
 * connections send until `release`.
 */
export async function openDatabaseDoor(t: ExecutionContext, database: string) {
  const { hostname, port } = new URL(database)
  /** The two of each connection, and where what each receives is sent. */
  const sockets = new Map<Socket, Socket>()
  const marked = new Set<string>()
  const unsent: string[] = []
  const server = createServer((caller) => {
    const postgres = connect(Number(port), hostname)
    watchCommits(caller, postgres)
    join(caller, postgres)
    join(postgres, caller)
  })

  function watchCommits(caller: Socket, postgres: Socket): void {
    let isMarked = false
    const prepared = new Map<string, string>()
    caller.on('data', (bytes: Buffer) => {
      const sent = bytes.toString('latin1')
      for (const [, name = '', text = ''] of sent.matchAll(parsed)) prepared.set(name, text)
      const broken = unsent.findIndex((text) => says(sent, text, prepared))
      if (broken !== -1 && unsent.splice(broken, 1)) for (const socket of [postgres, caller]) socket.destroy()
      for (const text of marked) if (says(sent, text, prepared)) isMarked = marked.delete(text)
      if (!isMarked || !/\bcommit\b/i.test(sent)) return
      postgres.unpipe(caller)
      postgres.once('data', () => caller.destroy()).resume()
    })
  }

  function join(from: Socket, to: Socket): void {
    sockets.set(from, to)
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
    for (const socket of sockets.keys()) socket.destroy()
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
    /** Keeps what connections send, as a machine does that stands still. */
    hold: () => sockets.forEach((to, from) => void from.unpipe(to)),
    release: () => sockets.forEach((to, from) => void from.pipe(to)),
    unconfirmed: (text: string) => void marked.add(text),
    unsent: (text: string) => void unsent.push(text),
    /** Whether all of them were broken. */
    areBroken: () => marked.size + unsent.length === 0,
  }
}

/** A message that has a statement prepared: its length, the statement's name and its text. */
const parsed = /P[^]{4}([^\0]+)\0([^\0]+)\0/g

/** Whether a statement with this text is sent, or executed by the name under which it was prepared (with the unnamed portal). */
const says = (sent: string, text: string, prepared: Map<string, string>): boolean =>
  sent.includes(text) || [...prepared].some(([name, of]) => of.includes(text) && sent.includes(`\0${name}\0`))
