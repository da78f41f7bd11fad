import type { RequestListener, ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { answering } from './hostile-site.ts'

/** Responses that attack their reader. Each continues until the reader disconnects. */

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** Writes raw bytes to the connection, which Node's server would not allow. */
const raw =
  (...texts: string[]): RequestListener =>
  (_request, response) => {
    for (const text of texts) response.socket?.write(text)
  }

/** Writes the text repeatedly, as fast as the reader reads it. */
function flood(response: ServerResponse, first: string, text: string): void {
  const { socket } = response
  const fill = () => {
    for (let more = true; more;) more = socket?.writable === true && socket.write(text)
  }
  socket?.on('drain', fill).write(first)
  fill()
}

function trickle(response: ServerResponse, first: string, text: string): void {
  const { socket } = response
  socket?.write(first)
  const timer = setInterval(() => (socket?.writable ? socket.write(text) : clearInterval(timer)), 100)
}

/** Compressed on first use, because bombs take long to build and most tests need none. */
function compressed(encoding: string, pack: () => Buffer): RequestListener {
  let packed: Buffer | undefined
  return (_request, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding })
      .end((packed ??= pack()))
}

/** Many times more than any limit. */
const blanks = () => Buffer.alloc(32 * 1024 * 1024, ' ')
const fastBrotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** Too much of something. */
export const oversized: Record<string, RequestListener> = {
  'an endless body': (_request, response) => flood(response, `${head}\r\n{"a":"`, 'x'.repeat(64 * 1024)),
  'an endless chunked body': (_request, response) =>
    flood(response, `${head}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${' '.repeat(0x10000)}\r\n`),
  'a length of 100 GB': raw(`${head}Content-Length: 100000000000\r\n\r\n{`),
  'a gzip bomb': compressed('gzip', () => gzipSync(blanks(), { level: 1 })),
  'a gzip bomb in a gzip bomb': compressed('gzip, gzip', () => gzipSync(gzipSync(blanks(), { level: 1 }))),
  'a brotli bomb': compressed('br', () => brotliCompressSync(blanks(), fastBrotli)),
  'a header that never ends': (_request, response) => flood(response, `${head}X-Long: `, 'x'.repeat(64 * 1024)),
  'headers without end': (_request, response) => flood(response, head, 'X-One: more\r\n'.repeat(1000)),
}

/** Too little, or too late. */
export const slow: Record<string, RequestListener> = {
  silence: () => undefined,
  'a body of single bytes': (_request, response) => trickle(response, `${head}\r\n{`, ' '),
  'chunks without end': (_request, response) =>
    trickle(response, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
  'preliminary answers without end': (_request, response) => trickle(response, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
}

/** Invalid HTTP, or truncated. */
export const broken: Record<string, RequestListener> = {
  'a connection that is cut': (_request, response) => response.socket?.destroy(),
  'a body that is cut': (_request, response) =>
    response.socket?.write(`${head}Content-Length: 1000\r\n\r\n{"a":`, () => response.socket?.destroy()),
  'something else than HTTP': raw('SSH-2.0-OpenSSH_9.2\r\n'),
  'a length and chunks': raw(`${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  'a header with a NUL': raw(`${head}X-A: \0\r\n\r\n{}`),
  'broken compression': compressed('gzip', () => Buffer.from('{"this is":"no gzip"}')),
}

/** Complete responses with invalid content. */
export const nonsense: Record<string, RequestListener> = {
  HTML: answering('<!doctype html><title>Error</title>', 'text/html'),
  'HTML that says it is JSON': answering('<!doctype html><title>Error</title>'),
  'a list': answering([]),
  null: answering('null'),
  'half of a JSON text': answering('{"a":'),
  'bytes that are no UTF-8': answering(Buffer.from('{"a":"\u00ff\u00fe"}', 'latin1')),
  'UTF-16': answering(Buffer.from('{"a":1}', 'utf16le')),
  'JSON of 100,000 levels': answering(deep(100_000)),
}
