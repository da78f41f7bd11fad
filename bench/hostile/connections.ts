import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sendBytes } from './raw.ts'

/* Unusual uses of connections. */

const filled = (bytes: number, unit: string): string => unit.repeat(Math.floor(bytes / unit.length))
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

function openMany(url: string, count: number, bytes: string): Socket[] {
  const { hostname, port } = new URL(url)
  return Array.from({ length: count }, () => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.on('error', () => undefined).write(bytes)
    return socket
  })
}

/** Holds connections open for a while without reading. */
async function hold(url: string, count: number, bytes: string): Promise<void> {
  const sockets = openMany(url, count, bytes)
  for (const socket of sockets) socket.pause()
  await delay(1500)
  for (const socket of sockets) socket.destroy()
}

export function connections(url: string, token: string): Record<string, () => Promise<unknown>> {
  const login = 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
  const patch =
    `POST /agents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
    'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
  const pipelined = ['/healthz', '/nowhere', '/agents', '/docs', '/openapi.json', '/auth/oidc/go?a=b']
  return {
    ...Object.fromEntries(
      pipelined.map((path) => [
        `one after the other without waiting: ${path}`,
        () => sendBytes(url, filled(65_536, get(path))),
      ]),
    ),
    'one after the other without waiting: logins': () => sendBytes(url, filled(65_536, login)),
    'chunks of one byte': () => sendBytes(url, `${patch}${filled(1_500_000, '1\r\n[\r\n')}0\r\n\r\n`, 1000),
    'chunks with extensions': () => sendBytes(url, `${patch}${filled(600_000, '1;a=b\r\n[\r\n')}0\r\n\r\n`, 1000),
    'empty lines': () => sendBytes(url, filled(1_000_000, '\r\n')),
    '200 connections that say nothing': () => hold(url, 200, ''),
    '200 requests that do not end': () =>
      hold(url, 200, 'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'),
    '50 that do not read what they ask for': () => hold(url, 50, filled(200, get('/openapi.json'))),
  }
}
