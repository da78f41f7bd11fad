import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface RawAnswer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
  /** The error code of the platform's error body; undefined if it is none. */
  code: string | undefined
}

interface RawRequest {
  method?: string
  /** Sent as it is, which `fetch` would not do: it tidies paths up. */
  path: string
  headers?: Record<string, string | string[]>
  body?: string | Uint8Array
}

/** Sends one request, and throws if there is no answer within ten seconds. */
export function send(url: string, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const { hostname, port } = new URL(url)
  const signal = AbortSignal.timeout(10_000)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = request({ hostname, port, method, path, headers: { ...length, ...headers }, agent: false, signal })
  outgoing.once('error', reject).once('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.once('error', reject).once('end', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code: codeIn(text) })
    })
  })
  outgoing.end(body)
  return promise
}

function codeIn(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  const { error, code, statusCode } = JSON.parse(text) as Record<string, unknown>
  return typeof error === 'string' && typeof code === 'string' && typeof statusCode === 'number' ? code : undefined
}

/**
 * Writes bytes to the server as they are, says that there will be no more, and returns all that came back before the
 * server closed the connection. Throws if it does not within ten seconds.
 */
export const exchange = (url: string, ...parts: (string | Uint8Array)[]): Promise<string> => write(url, parts, true)

/** The same without a word about more to come, as clients are that wait for an answer. The server has to close. */
export const ask = (url: string, ...parts: (string | Uint8Array)[]): Promise<string> => write(url, parts, false)

async function write(url: string, parts: (string | Uint8Array)[], isAll: boolean): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const chunks: Buffer[] = []
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // The server may break off what it does not want to read.
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
  for (const part of parts) socket.write(part)
  if (isAll) socket.end()
  const late = delay(10_000, undefined, { ref: false }).then(() => {
    socket.destroy()
    throw new Error('The server kept the connection open.')
  })
  return Promise.race([closed, late])
}

/** The status line's number of what `exchange` returned; 0 if the server closed without an answer. */
export const statusIn = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
