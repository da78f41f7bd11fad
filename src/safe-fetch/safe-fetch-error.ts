export type SafeFetchReason =
  | 'invalid-url'
  /** The URL's host, as written, is not a public address. */
  | 'refused-address'
  /** The host's name resolves to an address that is not public. */
  | 'refused-name'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too-large'
  | 'encoding'
  | 'redirect'
  | 'reset'
  | 'aborted'

/** A refused name reads like an unknown one. A difference would reveal the names of an intranet. */
const noSite = 'has an unknown host name, or one that does not resolve to a public internet address'

const sentences: Record<SafeFetchReason, string> = {
  'invalid-url': 'has an invalid address',
  'refused-address': 'does not have a public internet address',
  'refused-name': noSite,
  dns: noSite,
  connect: 'did not accept a connection',
  tls: 'has no valid certificate or does not support TLS',
  timeout: 'did not respond in time',
  'too-large': 'sent a response over the size limit',
  encoding: 'sent a response that could not be decompressed',
  redirect: 'responded with a redirect, and redirects are not followed',
  reset: 'closed the connection early or did not respond with HTTP',
  aborted: 'did not respond before the request was aborted',
}

interface SafeFetchErrorOptions {
  maybeSent: boolean
  host?: string | undefined
  code?: string | undefined
  status?: number | undefined
  message?: string | undefined
}

/**
 * A request without a usable response. It has no cause, because the libraries' errors contain URLs with their query,
 * headers and parts of bodies. It keeps only the host and the system's error code.
 */
export class SafeFetchError extends Error {
  override readonly name = 'SafeFetchError'
  readonly reason: SafeFetchReason
  /** False only if no byte of the request can have reached the site. */
  readonly maybeSent: boolean
  /** The system's or TLS's code (`ECONNREFUSED`, `CERT_HAS_EXPIRED`), for the log. */
  readonly code: string | undefined
  /** The status of an answer whose body was not read, if it arrived. */
  readonly status: number | undefined

  constructor(reason: SafeFetchReason, { maybeSent, host, code, status, message }: SafeFetchErrorOptions) {
    super(message ?? `The site ${host ? `${host} ` : ''}${sentences[reason]}.`)
    this.reason = reason
    this.maybeSent = maybeSent
    this.code = code
    this.status = status
  }
}

/** Codes of OpenSSL's certificate verification, of Node's TLS, and of handshakes with servers that do not speak TLS. */
const tlsCodes =
  /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO)/

/** The stage that a request reached. From `sending` on, the site may have received a part of it. */
export type Stage = 'resolving' | 'connecting' | 'sending'

/** Classifies any library error by its code, never by its message. */
export function describeFailure(
  error: unknown,
  { host, stage, stopped }: { host: string; stage: Stage; stopped: 'timeout' | 'aborted' | undefined },
): SafeFetchError {
  const chain = causes(error)
  const known = chain.find((cause) => cause instanceof SafeFetchError)
  if (known) return known
  const code = chain.map(codeOf).find((found) => found !== undefined)
  const reason = stopped === 'aborted' ? stopped : reasonOf(code, stage, stopped !== undefined)
  return new SafeFetchError(reason, { maybeSent: stage === 'sending', host, code })
}

function reasonOf(code: string | undefined, stage: Stage, late: boolean): SafeFetchReason {
  // A silent resolver counts as failed, whichever timer fired first.
  if (stage === 'resolving') return 'dns'
  if (late) return 'timeout'
  if (code !== undefined && tlsCodes.test(code)) return 'tls'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too-large'
  return stage === 'sending' ? 'reset' : 'connect'
}

/** Codes of zlib, and of its decompressors for brotli and zstandard. */
const decompressionCodes = /^(Z_|ERR__ERROR_|ERR_BROTLI_|ZSTD_)/

/** Whether a body is not compressed as its headers say. */
export const isUndecodable = (error: unknown): boolean =>
  causes(error).some((cause) => decompressionCodes.test(codeOf(cause) ?? ''))

function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let next = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next)
  return chain
}

/** DOMExceptions have numeric codes, which mean nothing here. */
const codeOf = (error: unknown): string | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
