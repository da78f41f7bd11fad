import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * A provider that speaks Chat Completions, in a process of its own: it says the text that its parent sent last, as fast as
 * it is read.
 */
let text = ''
const pieceLength = 4096

const chunk = (part: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'speaker', ...part })}\n\n`

function speak(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < text.length; at += pieceLength) {
    const content = text.slice(at, at + pieceLength)
    response.write(chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
  }
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }))
  response.end(
    `${chunk({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })}data: [DONE]\n\n`,
  )
}

const server = createServer((request, response) => {
  request.resume()
  speak(response)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', (given: string) => {
  text = given
  process.send?.('ready')
})
process.on('disconnect', () => process.exit(0))
