import { readFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createCertificates, type Certificates } from '../../bin/local/certificates.ts'
import { sharedServers } from './servers.ts'

export interface HttpsSite {
  port: number
  /** `https://localhost:<port>`, for which the certificate is valid. */
  origin: string
  /** How many TCP connections were accepted, with or without a request. */
  connections(): number
  requests(): number
}

let certificates: Promise<Certificates> | undefined

/** An authority and a server certificate for localhost, 127.0.0.1 and ::1, the same for all tests. */
export function temporaryCertificates(): Promise<Certificates> {
  certificates ??= createCertificates(sharedServers().certificates)
  return certificates
}

/** An HTTPS server on 127.0.0.1, closed with the test. */
export async function startHttpsSite(t: ExecutionContext, handler: RequestListener): Promise<HttpsSite> {
  const { certFile, keyFile } = await temporaryCertificates()
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)])
  const server = createServer({ cert, key })
  const counts = { connections: 0, requests: 0 }
  server.on('request', () => (counts.requests += 1))
  server.on('request', handler)
  closeWith(t, server, () => (counts.connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `https://localhost:${port}`,
    connections: () => counts.connections,
    requests: () => counts.requests,
  }
}

function closeWith(t: ExecutionContext, server: Server, onConnection: () => void): void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    onConnection()
    sockets.add(socket)
    // An aborted request does not fail the test.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
}
