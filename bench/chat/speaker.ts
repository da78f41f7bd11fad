import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ending, piece } from '../shared/completions.ts'

interface Speech {
  /** Milliseconds before the first word and between words. */
  firstMs: number
  everyMs: number
  words: number
}

/** A provider on loopback that streams Chat Completions at a steady pace. */
export async function startSpeaker({ firstMs, everyMs, words }: Speech) {
  const said = Array.from({ length: words }, (_, index) => `Word ${index}. `)
  const server = createServer((request, response) => {
    request.resume()
    void speak(response)
  })

  async function speak(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const begun = performance.now()
    for (const [index, word] of said.entries()) {
      await delay(Math.max(0, begun + firstMs + index * everyMs - performance.now()))
      response.write(piece(word))
    }
    response.end(ending(100, 2 * words))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    text: said.join(''),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
