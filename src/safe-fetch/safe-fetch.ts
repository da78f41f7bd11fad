import { lookup as systemLookup } from 'node:dns'
import { Socket, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import ky from 'ky'
import { buildConnector, Client, Dispatcher1Wrapper } from 'undici'
import { readAuthorities } from './authorities.ts'
import { readBounded } from './bounded-body.ts'
import { startDeadline } from './deadline.ts'
import { createCheckedLookup, type Lookup } from './checked-lookup.ts'
import { readAllowedSites, type SiteAllowance } from './allowed-sites.ts'
import { readHeaders, readUrl } from './outgoing-request.ts'
import { describeFailure, isUndecodable, SafeFetchError, type Stage } from './safe-fetch-error.ts'
import { watchStandstill } from './standstill.ts'
import { streamedBody } from './streamed-body.ts'

export { SafeFetchError, type SafeFetchReason } from './safe-fetch-error.ts'

export interface SafeRequest {
  /** A complete `https` address of at most 2048 characters. */
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  headers?: Record<string, string>
  /** Not allowed with GET and HEAD. */
  body?: string | undefined
  /** The time for the whole request, from DNS to the last byte of the response. */
  timeoutMs: number
  /** The size of the decompressed response body. */
  maxBytes: number
  /** Returns a redirect as a response instead of an error. Redirects are never followed. */
  showRedirect?: boolean
  /** Returns status and headers without reading the body, so its size and time do not matter. */
  ignoreBody?: boolean
  /** As `ignoreBody`, for a stream of events only. It may never end, so it is no document. */
  ignoreEvents?: boolean
  signal?: AbortSignal | undefined
}

export interface SafeResponse {
  status: number
  headers: Headers
  body: Uint8Array
}

export type SafeFetch = (request: SafeRequest) => Promise<SafeResponse>

/** A response whose body is read while it arrives. Time and size are those of the request; errors are SafeFetchErrors. */
export interface StreamedResponse {
  status: number
  headers: Headers
  /** Must be read to its end or cancelled. */
  body: ReadableStream<Uint8Array>
}

export interface StreamRequest extends SafeRequest {
  /** Gets the error that ends the body, before the body's reader does. */
  onFailure?: (error: SafeFetchError) => void
}

export type SafeStream = (request: StreamRequest) => Promise<StreamedResponse>

/** Exceptions besides public addresses. HTTPS, certificate and limits still apply to them. */
export interface SafeFetchOptions extends SiteAllowance {
  /** PEM file of certificate authorities to trust besides the default ones. */
  caFile?: string | undefined
  /** This platform's address and version, for the User-Agent. */
  baseUrl: string
  version: string
  lookup?: Lookup
}

/** The size of the status line and all headers of a response. */
const maxHeaderBytes = 16 * 1024

/** The time for DNS, TCP and TLS together. A site that needs longer will not connect. */
const maxConnectMs = 10_000

/**
 * Creates the only way out to sites (OWASP API7:2023 and API10:2023). HTTPS only; addresses are checked on connecting;
 * redirects are not followed; time and size are limited; nothing is retried; statuses from 400 on are responses.
 * `fetch` and `stream` throw only SafeFetchError; `close` aborts requests in progress. Throws if the CA file or an entry
 * of `allow` is wrong.
 */
export function createSafeFetch(options: SafeFetchOptions): {
  fetch: SafeFetch
  stream: SafeStream
  close: () => Promise<void>
} {
  const allowed = readAllowedSites(options)
  const secureContext = createSecureContext({ ca: trustedRoots(options.caFile) })
  const userAgent = userAgentOf(options)
  const closing = new AbortController()
  const standstill = watchStandstill()
  const underWay = new Set<Promise<unknown>>()

  /** A request that is about to be sent on a connection of its own. */
  function begin(request: SafeRequest) {
    const url = readUrl(request.url)
    const headers = readHeaders(request.headers ?? {}, userAgent, url.hostname)
    if (allowed.refuses(url)) throw new SafeFetchError('refused-address', { maybeSent: false, host: url.hostname })
    const deadline = startDeadline(request.timeoutMs, [request.signal, closing.signal])
    const lookup = createCheckedLookup(options.lookup ?? systemLookup, (address) => allowed.permits(url, address))
    const connection = openConnection(url, secureContext, { lookup, maySend: standstill.fence() })
    // The signals that ky and fetch derive may be garbage-collected while a response is read, and then never fire.
    deadline.signal.addEventListener('abort', () => void connection.close(), { once: true })
    return {
      host: url.hostname,
      answer: () => answerTo(request, url, headers, deadline.signal, connection.dispatcher),
      /** As the caller learns of it. */
      failure: (error: unknown) =>
        describeFailure(error, { host: url.hostname, stage: connection.stage(), stopped: deadline.stopped() }),
      async end(): Promise<void> {
        deadline.clear()
        await connection.close()
      },
    }
  }

  async function send(request: SafeRequest): Promise<SafeResponse> {
    const exchange = begin(request)
    try {
      return await readWhole(await exchange.answer(), exchange.host, request)
    } catch (error) {
      throw exchange.failure(error)
    } finally {
      await exchange.end()
    }
  }

  async function sendAndStream(request: StreamRequest): Promise<StreamedResponse> {
    const exchange = begin(request)
    try {
      const response = await exchange.answer()
      const { status, headers } = response
      const failure = (error: unknown) => {
        const reason = exchange.failure(readingFailure(error, exchange.host, status))
        request.onFailure?.(reason)
        return reason
      }
      return {
        status,
        headers,
        body: streamedBody(response, { maxBytes: request.maxBytes, failure, end: () => exchange.end() }),
      }
    } catch (error) {
      await exchange.end()
      throw exchange.failure(error)
    }
  }

  /** `close` waits for it. */
  function noted<T>(answer: Promise<T>): Promise<T> {
    underWay.add(answer)
    const forget = () => underWay.delete(answer)
    answer.then(forget, forget)
    return answer
  }

  return {
    fetch: (request) => noted(send(request)),
    stream: (request) => noted(sendAndStream(request)),
    async close() {
      closing.abort()
      await Promise.allSettled(underWay)
      standstill.close()
    },
  }
}

/** This platform's User-Agent (docs/specification.md, "Verifying the platform"). */
export const userAgentOf = ({ version, baseUrl }: Pick<SafeFetchOptions, 'version' | 'baseUrl'>): string =>
  `Switchyard/${version} (+${baseUrl})`

async function answerTo(
  { method, body, showRedirect = false }: SafeRequest,
  url: URL,
  headers: Headers,
  signal: AbortSignal,
  dispatcher: Dispatcher1Wrapper,
): Promise<Response> {
  signal.throwIfAborted()
  const response = await ky(url, {
    method,
    headers,
    body: body ?? null,
    signal,
    redirect: 'manual',
    credentials: 'omit',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // Node 24's fetch is undici 7, which calls its dispatcher differently from undici 8.
    fetch: (input, init) => globalThis.fetch(input, { ...init, dispatcher } as object),
  })
  // Following a redirect would repeat every check and carry credentials along. A site can publish its final address.
  const { status } = response
  if (!showRedirect && status >= 300 && status < 400 && response.headers.has('location'))
    throw unread('redirect', url.hostname, status)
  return response
}

async function readWhole(
  response: Response,
  host: string,
  { maxBytes, ignoreBody = false, ignoreEvents = false }: SafeRequest,
): Promise<SafeResponse> {
  const { status, headers } = response
  if (ignoreBody || (ignoreEvents && isEventStream(headers))) return { status, headers, body: new Uint8Array() }
  const body = await readBounded(response, maxBytes).catch((error: unknown) => {
    throw readingFailure(error, host, status)
  })
  if (body === undefined) throw readingFailure(undefined, host, status)
  return { status, headers, body }
}

/** Whether a body is a stream of events (HTML, "Server-sent events"). */
export const isEventStream = (headers: Headers): boolean =>
  /^\s*text\/event-stream\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

/** The error of a body that could not be read; without one, it was too large. */
function readingFailure(error: unknown, host: string, status: number): unknown {
  if (error === undefined) return unread('too-large', host, status)
  return isUndecodable(error) ? unread('encoding', host, status) : error
}

const unread = (reason: 'redirect' | 'too-large' | 'encoding', host: string, status: number): SafeFetchError =>
  new SafeFetchError(reason, { maybeSent: true, host, status })

interface Opening {
  lookup: LookupFunction
  /** Whether the request may be sent once the connection is open. */
  maySend: () => boolean
}

/**
 * A connection for one request. Reuse would gain nothing, a site may close a kept connection just as a POST is written,
 * and a socket must not outlive the check of its address. HTTP/1.1 only, for its simpler limits.
 */
function openConnection(url: URL, secureContext: SecureContext, { lookup, maySend }: Opening) {
  let stage: Stage = 'connecting'
  let socket: unknown
  const connectTls = buildConnector({
    secureContext,
    rejectUnauthorized: true,
    allowH2: false,
    maxCachedSessions: 0,
    timeout: maxConnectMs,
    lookup: (hostname, lookupOptions, callback) => {
      stage = 'resolving'
      lookup(hostname, lookupOptions, (...answer) => {
        stage = 'connecting'
        callback(...answer)
      })
    },
  })
  const connect: buildConnector.connector = (to, callback) => {
    socket = connectTls(to, (...result) => {
      // The last moment: the request is written next.
      if (result[1] && !maySend()) {
        result[1].destroy()
        callback(Object.assign(new Error('the process stood still'), { code: 'STOOD_STILL' }), null)
        return
      }
      if (result[1]) stage = 'sending'
      callback(...result)
    })
  }
  // After connecting, the deadline is the only timer: undici's own for headers and body are off.
  const limits = { maxHeaderSize: maxHeaderBytes, headersTimeout: 0, bodyTimeout: 0 }
  const client = new Client(url.origin, { ...limits, pipelining: 0, connect })
  const close = async () => {
    await client.destroy()
    // undici would continue an abandoned handshake until its own timeout.
    if (socket instanceof Socket) socket.destroy()
  }
  return { dispatcher: new Dispatcher1Wrapper(client), stage: () => stage, close }
}

/** Node's default authorities and the given ones. Read once, because parsing is slow. */
function trustedRoots(caFile: string | undefined): string[] {
  return [...getCACertificates('default'), ...(caFile ? [readAuthorities(caFile)] : [])]
}
