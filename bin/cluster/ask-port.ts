import { once } from 'node:events'
import { connect } from 'node:net'

/** Whether a port of this machine accepts connections; rejects if not. */
export async function askPort(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}
