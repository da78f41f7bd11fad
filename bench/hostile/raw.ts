import { connect } from 'node:net'

const patienceMs = 5000

/**
 * Writes raw bytes to the server, because other clients correct what they send. Returns the statuses of all responses
 * when the server closes the connection, or after a silence.
 */
export async function sendBytes(url: string, bytes: string | Buffer, quietMs = 300): Promise<number[]> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  let text = ''
  await new Promise<void>((resolve) => {
    socket.setTimeout(patienceMs, resolve)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      socket.setTimeout(quietMs)
    })
    // The server may disconnect before it has read everything.
    socket.on('error', () => resolve())
    socket.on('close', resolve)
    socket.write(bytes)
  })
  socket.destroy()
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
}
