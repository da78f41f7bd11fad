import { lookup as systemLookup } from 'node:dns'
import { readFileSync } from 'node:fs'
import { Socket, type LookupFunction } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import ky from 'ky'
import { buildConnector, Client, Dispatcher1Wrapper } from 'undici'
import { readBounded } from './bounded-body.ts'
import { startDeadline } from './deadline.ts'
import { createJudgedLookup, type Lookup } from './checked-lookup.ts'
import { hostAndPort, readHeaders, readPair, readUrl, refusePrivateLiteral } from './outgoing-request.ts'
import { describeFailure, SafeFetchError, type Stage } from './safe-fetch-error.ts'

export { SafeFetchError, type SafeFetchReason } from './safe-fetch-error.ts'

export interface SafeRequest {
  /** Complete `https` address, at most 2048 characters. */
  url: string
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  /** Only with POST. */
  body?: string
  /** For everything, from the name's resolution to the last byte of the answer. */
  timeoutMs: number
  /** Of the answer's body, decompressed. */
  maxBytes: number
  /** A redirect comes back as an answer in place of failing. It is not followed either way. */
  showRedirect?: boolean
  /** The answer is its status and headers; its body is not read, so that neither its size nor its time matters. */
  ignoreBody?: boolean
  signal?: AbortSignal | undefined
}

export interface SafeResponse {
  status: number
  headers: Headers
  body: Uint8Array
}

export type SafeFetch = (request: SafeRequest) => Promise<SafeResponse>

export interface SafeFetchOptions {
  /** `host:port` pairs whose address is not judged. Everything else stays: HTTPS, certificate, limits. */
  allow: readonly string[]
  /** PEM file of certificate authorities trusted beside the usual ones. */
  caFile?: string | undefined
  /** This platform's address and version, for the User-Agent. */
  baseUrl: string
  version: string
  lookup?: Lookup
}

/** Of the status line and all headers of an answer together. */
const maxHeaderBytes = 16 * 1024

/** For DNS, TCP and TLS together: a site that has not taken the connection by then will not. */
const maxConnectMs = 10_000

/**
 * Makes the one door through which requests leave for sites (OWASP API7:2023 and API10:2023). HTTPS only; the address
 * is judged on connecting; redirects are not followed; time and size are bounded; nothing is retried; statuses from
 * 400 on are answers, not errors. `fetch` fails with a SafeFetchError only; `close` aborts what is under way.
 * Throws at once if the CA file cannot be read or `allow` holds something else than `host:port`.
 */
export function createSafeFetch(options: SafeFetchOptions): { fetch: SafeFetch; close: () => Promise<void> } {
  const allowed = new Set(options.allow.map(readPair))
  const secureContext = createSecureContext({ ca: trustedRoots(options.caFile) })
  const userAgent = userAgentOf(options)
  const closing = new AbortController()
  const underWay = new Set<Promise<unknown>>()

  const send: SafeFetch = async (request) => {
    const url = readUrl(request.url)
    const headers = readHeaders(request.headers ?? {}, userAgent, url.hostname)
    const exempt = allowed.has(hostAndPort(url))
    if (!exempt) refusePrivateLiteral(url)
    const deadline = startDeadline(request.timeoutMs, [request.signal, closing.signal])
    const lookup = createJudgedLookup(options.lookup ?? systemLookup, { exempt })
    const connection = openConnection(url, secureContext, lookup)
    // What ky and fetch make of the signal may be collected while an answer is read, and then does not fire any more.
    deadline.signal.addEventListener('abort', () => void connection.close(), { once: true })
    try {
      return await exchange(request, url, headers, deadline.signal, connection.dispatcher)
    } catch (error) {
      throw describeFailure(error, { host: url.hostname, stage: connection.stage(), stopped: deadline.stopped() })
    } finally {
      deadline.clear()
      await connection.close()
    }
  }

  return {
    fetch(request) {
      const answer = send(request)
      underWay.add(answer)
      const forget = () => underWay.delete(answer)
      answer.then(forget, forget)
      return answer
    },
    async close() {
      closing.abort()
      await Promise.allSettled(underWay)
    },
  }
}

/** What this platform calls itself (docs/specification.md, "Verifying the platform"). */
export const userAgentOf = ({ version, baseUrl }: Pick<SafeFetchOptions, 'version' | 'baseUrl'>): string =>
  `Switchyard/${version} (+${baseUrl})`

/** Sends one request and reads its answer whole. */
async function exchange(
  request: SafeRequest,
  url: URL,
  headers: Headers,
  signal: AbortSignal,
  dispatcher: Dispatcher1Wrapper,
): Promise<SafeResponse> {
  signal.throwIfAborted()
  const { method, body = null, maxBytes, showRedirect = false, ignoreBody = false } = request
  const response = await ky(url, {
    method,
    headers,
    body,
    signal,
    redirect: 'manual',
    credentials: 'omit',
    retry: 0,
    timeout: false,
    throwHttpErrors: false,
    // The fetch of Node 24 is undici 7, which calls its dispatcher in another way than undici 8 is called.
    fetch: (input, init) => globalThis.fetch(input, { ...init, dispatcher } as object),
  })
  // Following would need every check again and would carry credentials along; a site can name its final address.
  if (!showRedirect && response.status >= 300 && response.status < 400 && response.headers.has('location'))
    throw new SafeFetchError('redirect', { maybeSent: true, host: url.hostname })
  const bytes = ignoreBody ? new Uint8Array() : await readBounded(response, maxBytes)
  if (bytes === undefined) throw new SafeFetchError('too-large', { maybeSent: true, host: url.hostname })
  return { status: response.status, headers: response.headers, body: bytes }
}

/**
 * A connection for one request. None is kept: ten calls a minute to a site gain nothing from it, a kept connection may
 * be closed by the site just as a POST is written (nobody knows then whether the tool ran), and no socket outlives
 * the judgement of its address. HTTP/1.1 only, for its simpler limits.
 */
function openConnection(url: URL, secureContext: SecureContext, lookup: LookupFunction) {
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
      if (result[1]) stage = 'sending'
      callback(...result)
    })
  }
  // From the connection on, the deadline is the only clock: undici's own for headers and body are off.
  const limits = { maxHeaderSize: maxHeaderBytes, headersTimeout: 0, bodyTimeout: 0 }
  const client = new Client(url.origin, { ...limits, pipelining: 0, connect })
  const close = async () => {
    await client.destroy()
    // undici lets a handshake that nobody waits for any more run on until its own timeout.
    if (socket instanceof Socket) socket.destroy()
  }
  return { dispatcher: new Dispatcher1Wrapper(client), stage: () => stage, close }
}

/** What Node trusts by default and the given authorities. Read once, since parsing all of them takes a while. */
function trustedRoots(caFile: string | undefined): string[] {
  return [...getCACertificates('default'), ...(caFile ? [readFileSync(caFile, 'utf8')] : [])]
}
