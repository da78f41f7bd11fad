import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

const loopback = '127.0.0.1'

/** More bytes than this wait only in the sender. */
const mostWaiting = 1024 ** 2

/** A proxy in front of a port of this machine, to take the connection between two programs away. */
export interface Door {
  port: number
  /** Lets everything through, immediately. What was held back follows in its order. */
  open: () => Promise<void>
  /** Breaks all connections and refuses new ones. */
  cut: () => Promise<void>
  /** Accepts connections, and passes nothing in either direction. */
  hold: () => void
  /** Passes everything this much later, in each direction. */
  delay: (milliseconds: number) => void
  /** Resets all connections once (RST). New ones are let through. */
  reset: () => void
}

/** How a door is entered: at an address of this machine, and by TLS if it has a certificate. */
export interface Entrance {
  host?: string
  tls?: Pick<TlsOptions, 'cert' | 'key' | 'ALPNProtocols'>
}

/** Opens a door at `port` to `target`, a port of the loopback address. */
export async function openDoor(port: number, target: number, { host = loopback, tls }: Entrance = {}): Promise<Door> {
  const sockets = new Set<Socket>()
  let delayMs = 0
  let { promise: passage, resolve: letThrough } = Promise.withResolvers<void>()
  letThrough()

  /** Does the work after what came before it, when nothing is held, and not before its time. */
  async function inTurn(before: Promise<void>, work: () => unknown): Promise<void> {
    const due = performance.now() + delayMs
    await before
    await passage
    const left = due - performance.now()
    if (delayMs > 0 && left > 0) await wait(left)
    await work()
  }

  /** One direction. Each piece waits for its own time, so a delay does not add up over many pieces. */
  function carry(from: Socket, to: Socket): void {
    let last = Promise.resolve()
    let waiting = 0
    from.on('data', (bytes: Buffer) => {
      waiting += bytes.length
      if (waiting > mostWaiting) from.pause()
      last = inTurn(last, async () => {
        if (to.writable && !to.write(bytes)) await untilDrained(to)
        waiting -= bytes.length
        if (waiting <= mostWaiting) from.resume()
      })
    })
    from.on('end', () => {
      last = inTurn(last, () => to.end())
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      if (!from.readableEnded) to.destroy()
    })
    sockets.add(from)
  }

  function enter(caller: Socket): void {
    const called = connect({ host: loopback, port: target, allowHalfOpen: true, noDelay: true })
    carry(caller, called)
    carry(called, caller)
  }

  const options = { allowHalfOpen: true, noDelay: true }
  const server = tls ? createTlsServer({ ...options, ...tls }, enter) : createServer(options, enter)
  const listen = async (): Promise<void> => {
    if (server.listening) return
    server.listen(port, host)
    await once(server, 'listening')
  }
  await listen()
  server.unref()

  return {
    port,
    async open() {
      delayMs = 0
      letThrough()
      await listen()
    },
    async cut() {
      const closed = server.listening ? once(server, 'close') : undefined
      if (closed) server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    hold() {
      ;({ promise: passage, resolve: letThrough } = Promise.withResolvers<void>())
    },
    delay(milliseconds) {
      delayMs = milliseconds
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}

/** Also resolves when it is closed. */
const untilDrained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('drain', resolve).once('close', () => resolve()))
