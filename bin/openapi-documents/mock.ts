import { readFileSync } from 'node:fs'
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import getPort from 'get-port'
import { listen } from '../../examples/sites/https-server.ts'
import { execa } from '../execa.ts'

export interface Mock {
  /** Where the document is, unchanged. */
  documentUrl: string
  /** Where the mock of its servers is. */
  serverUrl: string
  /** The requests to the mock, each with the status of its response. */
  answered: string[]
  close: () => Promise<void>
}

/**
 * Starts a mock of the servers that a document describes, behind HTTPS. It answers a request that the document does not
 * allow, or without the credential, with a status of an error.
 */
export async function startMock(
  program: string,
  file: string,
  tls: { certFile: string; keyFile: string },
): Promise<Mock> {
  const port = await getPort()
  const options = ['mock', '--port', String(port), '--host', '127.0.0.1', file]
  const lines: string[] = []
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  function* look(line: string): Generator<string> {
    lines.push(line)
    if (line.includes('Prism is listening')) resolve()
    yield line
  }
  const running = execa(process.execPath, [program, ...options], { stdin: 'ignore', stdout: look, reject: false })
  const ended = running.then(() => Promise.reject(new Error(`The mock ended:\n${lines.slice(-5).join('\n')}`)))
  ended.catch(() => undefined)
  await Promise.race([listening, ended])
  const answered: string[] = []
  const { server, origin, close } = await listen({ port: 0, tls })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/openapi-document') response.end(readFileSync(file))
    else if (request.url?.startsWith(base)) forward(request, response, port, answered)
    else response.writeHead(404).end()
  })
  return {
    documentUrl: `${origin}/openapi-document`,
    serverUrl: `${origin}${base}`,
    answered,
    close: async () => {
      running.kill()
      await Promise.all([close(), running])
    },
  }
}

const base = '/mock'

function forward(request: IncomingMessage, response: ServerResponse, port: number, answered: string[]): void {
  const { method = '', url = '', headers } = request
  const path = url.slice(base.length) || '/'
  const onward = ask({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
    answered.push(`${method} ${path} ${answer.statusCode}`)
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}
