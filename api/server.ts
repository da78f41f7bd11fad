import { createServer, STATUS_CODES, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { CodedError, errorBody } from '../src/errors.ts'

/** Generous for tokens and keys; what is longer is refused before it is kept in memory. */
const maxHeaderBytes = 32 * 1024

/** How long a client may take to send a request whole. */
const requestMs = 60_000

/**
 * The HTTP server, without its requests' handler. What is no HTTP at all gets the platform's error body too. `drain`
 * stops listening, answers what has come in, and ends when the last connection is closed.
 */
export function createHttpServer(): { server: Server; drain: () => Promise<void> } {
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: requestMs })
  server.on('clientError', refuse)
  return { server, drain: () => drain(server) }
}

async function drain(server: Server): Promise<void> {
  // A client that keeps its connection busy would keep this process from ending.
  server.prependListener('request', (_request, response) => void response.setHeader('connection', 'close'))
  // Connections that become idle only now would be kept for their whole time otherwise.
  const closing = setInterval(() => server.closeIdleConnections(), 50)
  await new Promise((resolve) => server.close(resolve))
  clearInterval(closing)
}

/** Answers what Node's parser refuses: broken HTTP, headers that are too long, a request that never ends. */
function refuse(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const message = sentences[error.code ?? ''] ?? 'The request is not valid HTTP.'
  const refusal = new CodedError('VALIDATION_ERROR', { message, details: [{ path: '', message }] })
  const body = JSON.stringify(errorBody(refusal))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

const sentences: Record<string, string> = {
  HPE_HEADER_OVERFLOW: `The headers of the request are larger than ${maxHeaderBytes} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: `The request was not complete within ${requestMs / 1000} seconds.`,
}
