import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface ListenOptions {
  /** 0 takes a free port; the origin then tells which. */
  port: number
  /** The address to listen on, 127.0.0.1 unless given. */
  host?: string | undefined
  /** PEM files. The platform speaks to sites over HTTPS only. */
  tls: { certFile: string; keyFile: string }
}

export interface HttpsServer {
  server: Server
  origin: string
  /** Stops listening and cuts what is still open. */
  close: () => Promise<void>
}

/** Opens an HTTPS port. Requests go to whoever listens to the server's event `request`. Fails if the port is taken. */
export async function listen({ port, host = '127.0.0.1', tls }: ListenOptions): Promise<HttpsServer> {
  const server = createServer({ cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) })
  // Also those that have not said a word of HTTP yet, which the server itself does not know.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const taken = (server.address() as AddressInfo).port
  return {
    server,
    origin: `https://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
