import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface ListenOptions {
  /** With 0 it takes a free port, and `origin` contains its number. */
  port: number
  /** The address to listen on; 127.0.0.1 by default. */
  host?: string | undefined
  /** PEM files. The platform calls sites over HTTPS only. */
  tls: { certFile: string; keyFile: string }
}

export interface HttpsServer {
  server: Server
  origin: string
  /** Stops listening and closes open connections. */
  close: () => Promise<void>
}

/** Opens an HTTPS port. Requests go to listeners of the server's event `request`. Throws if the port is taken. */
export async function listen({ port, host = '127.0.0.1', tls }: ListenOptions): Promise<HttpsServer> {
  const server = createServer({ cert: await readFile(tls.certFile), key: await readFile(tls.keyFile) })
  // Includes connections without an HTTP request so far, which the server itself does not track.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  const actualPort = (server.address() as AddressInfo).port
  return {
    server,
    origin: `https://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
