import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ending, piece } from '../shared/completions.ts'

/* A Chat Completions provider in its own process. It streams the last text from its parent, as fast as it is read. */
let text = ''
const pieceLength = 4096

function speak(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let at = 0; at < text.length; at += pieceLength) {
    response.write(piece(text.slice(at, at + pieceLength)))
  }
  response.end(ending(1, 1))
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
