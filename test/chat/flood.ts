import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import type { Act } from '../models/failing-provider.ts'
import { chat } from '../models/wire.ts'
import type { TestSession } from './stage.ts'

const pieceLength = 16 * 1024

/** An answer of so many MiB, written no faster than it is read. */
export const flood =
  (mebibytes: number): Act =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const closed = new Promise<void>((resolve) => void response.on('error', () => undefined).once('close', resolve))
    const [piece] = chat.begin('x'.repeat(pieceLength))
    const pieces = Array.from({ length: (mebibytes * 1024 * 1024) / pieceLength }, () => piece!)
    for (const event of [...pieces, ...chat.end(), ...chat.usage()]) {
      if (response.destroyed) return
      if (response.write(`data: ${JSON.stringify(event)}\n\n`)) continue
      await Promise.race([once(response, 'drain'), closed])
    }
    response.end('data: [DONE]\n\n')
  }

/** Sends a message on a connection of its own, whose answer is read only as the test reads it. */
export async function sendUnread({ url, token }: TestSession): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'x-session-token': token }
  const asked = request(`${url}/chat/messages`, { method: 'POST', headers, agent: new Agent({ keepAlive: false }) })
  asked.on('error', () => undefined).end(JSON.stringify({ text: 'Speak.', stream: true }))
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return answer
}
