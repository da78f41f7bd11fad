import { connect } from 'node:net'

const patienceMs = 5000

/**
 * Writes bytes to the server as they are, and returns the statuses of all answers when it closes the connection, or when
 * nothing has come for a while. Other clients tidy up what they send.
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
    // The server may break off what it does not want to read.
    socket.on('error', () => resolve())
    socket.on('close', resolve)
    socket.write(bytes)
  })
  socket.destroy()
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
}
