import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../examples/sites/https-server.ts'

/*
 * Sites in a process of their own, one per port, so that their responses cost the measured processes nothing. Their
 * parent sends the texts of the responses.
 */
const [, , certFile = '', keyFile = '', ...ports] = process.argv
const answers = { manifest: '', result: '{}' }

function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(request.method === 'GET' ? manifestOf(request.headers.host ?? '') : answers.result)
}

/** The manifest with the address of the requested site. */
const manifestOf = (host: string): string => answers.manifest.replaceAll(`127.0.0.1:${ports[0]}`, host)

for (const port of ports) {
  const { server } = await listen({ port: Number(port), tls: { certFile, keyFile } })
  server.on('request', answer)
}
process.on('message', (given: Partial<typeof answers>) => {
  Object.assign(answers, given)
  process.send?.('ready')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
