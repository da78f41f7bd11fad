import { createServer, STATUS_CODES, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { CodedError, errorBody, type ErrorCode, type ErrorDetail } from '../src/errors.ts'
import { endWith, limitConnections } from './connections.ts'

/** Generous for tokens, keys and cookies. Longer headers are refused before they are buffered. */
export const maxHeaderBytes = 16 * 1024

/** How long a client may take to send a complete request. */
const defaultRequestMs = 60_000

/** How often to look for slow requests. With Node's default of 30 s, a request could exceed the limit by half. */
const lookMs = (requestMs: number): number => Math.min(1000, requestMs / 10)

/**
 * The HTTP server. Invalid HTTP, and requests that Node would refuse with an empty body, also get the platform's error
 * body. A request that is incomplete after `requestMs` is cut off within a second, and so is an idle connection.
 * `serve` starts to answer requests. `drain` asks clients to close their connections, then stops listening, answers the
 * requests that have arrived, and returns when the last connection is closed.
 */
export function createHttpServer({ requestMs = defaultRequestMs, answerMs, maxConnections }: ServerLimits = {}) {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    connectionsCheckingInterval: lookMs(requestMs),
    requireHostHeader: false,
  })
  const limited = limitConnections(server, { idleMs: requestMs, answerMs })
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  server.on('clientError', refuseBroken(sentencesOfParser(requestMs)))
  server.on('checkExpectation', limited(refuseWith(sentences.expectation, 'Expect')))
  const serve = (handle: RequestListener) => void server.on('request', limited(withHost(handle)))
  return { server, serve, drain: (noticeMs: number) => drain(server, noticeMs) }
}

/** Times in milliseconds. */
interface ServerLimits {
  /** How long a request may take to arrive, and how long a connection may be idle. */
  requestMs?: number
  /** How long a client may take to read the end of a response. */
  answerMs?: number | undefined
  /** The most open connections; further ones are closed immediately. Unlimited by default. */
  maxConnections?: number
}

/** RFC 9112, 3.2: HTTP/1.1 requires the header, HTTP/1.0 does not. Its value is not used. */
function withHost(handle: RequestListener): RequestListener {
  const refuse = refuseWith(sentences.noHost, 'Host')
  return (request, response) => {
    const lacksHost = request.httpVersion === '1.1' && request.headers.host === undefined
    return lacksHost ? refuse(request, response) : handle(request, response)
  }
}

/**
 * A connection that is closed while its client sends the next request fails that request. So for `noticeMs`, or until
 * no connection is open, each answer asks the client to close its connection, and new connections are still accepted.
 */
async function drain(server: Server, noticeMs: number): Promise<void> {
  // A client that keeps its connection busy would prevent this process from ending.
  server.prependListener('request', (_request, response) => void response.setHeader('connection', 'close'))
  const until = performance.now() + noticeMs
  while (performance.now() < until && (await openConnections(server)) > 0) await delay(Math.min(50, noticeMs))
  // Connections that become idle later would otherwise stay open until their timeout.
  const closing = setInterval(() => server.closeIdleConnections(), 50)
  await new Promise((resolve) => server.close(resolve))
  clearInterval(closing)
}

const openConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))

/** Answers requests that Node's parser refuses: broken HTTP, oversized headers, a request that never ends. */
const refuseBroken =
  (words: Record<string, string>) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const sentence = words[error.code ?? ''] ?? 'The request is not valid HTTP.'
    const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    const { status, headers, body } = isSlow ? answerOf('REQUEST_TIMEOUT', sentence) : refusal(sentence, '')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    endWith(socket, [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  }

/** Answers a well-formed request that is refused before routing. */
const refuseWith =
  (message: string, path: string): RequestListener =>
  (_, response) => {
    const { status, headers, body } = refusal(message, path)
    response.writeHead(status, headers).end(body)
  }

const refusal = (message: string, path: string) => answerOf('VALIDATION_ERROR', message, [{ path, message }])

/** The platform's error body, and its headers. */
function answerOf(code: ErrorCode, message: string, details?: ErrorDetail[]) {
  const error = new CodedError(code, { message, ...(details && { details }) })
  const body = JSON.stringify(errorBody(error))
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  return { status: error.status, headers, body }
}

const sentences = {
  noHost: 'The Host header is missing. HTTP/1.1 requires it.',
  expectation: 'The Expect header must be "100-continue". Send this value or omit the header.',
}

const sentencesOfParser = (requestMs: number): Record<string, string> => ({
  HPE_HEADER_OVERFLOW: `The request headers exceed the limit of ${maxHeaderBytes} bytes.`,
  ERR_HTTP_REQUEST_TIMEOUT: `The request was not complete within ${requestMs / 1000} seconds.`,
})
