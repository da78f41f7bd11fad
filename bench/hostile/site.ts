import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../examples/sites/https-server.ts'

/*
 * A site in a process of its own, so that making its answers costs the measured processes nothing. Its parent sends the
 * texts that it answers with.
 */
const [, , port, certFile = '', keyFile = ''] = process.argv
const answers = { manifest: '', result: '{}' }
const { server } = await listen({ port: Number(port), tls: { certFile, keyFile } })
server.on('request', (request: IncomingMessage, response: ServerResponse) => {
  request.resume()
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(request.method === 'GET' ? answers.manifest : answers.result)
})
process.on('message', (given: Partial<typeof answers>) => {
  Object.assign(answers, given)
  process.send?.('ready')
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
