import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../examples/sites/https-server.ts'

/*
 * Sites in a process of their own, one for each port, so that making their answers costs the measured processes nothing.
 * Their parent sends the texts that they answer with.
 */
const [, , certFile = '', keyFile = '', ...ports] = process.argv
const answers = { manifest: '', result: '{}' }

function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(request.method === 'GET' ? manifestOf(request.headers.host ?? '') : answers.result)
}

/** Names the address of the site that is asked. */
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
