export type SafeFetchReason =
  | 'invalid-url'
  | 'refused-address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too-large'
  | 'redirect'
  | 'reset'
  | 'aborted'

const sentences: Record<SafeFetchReason, string> = {
  'invalid-url': 'has an invalid address',
  'refused-address': 'has an address that is not on the public internet',
  dns: 'could not be resolved',
  connect: 'could not be connected to',
  tls: 'has no valid certificate or does not speak TLS',
  timeout: 'did not answer in time',
  'too-large': 'sent a larger response than is allowed',
  redirect: 'answered with a redirect, and redirects are not followed',
  reset: 'closed the connection early, or did not answer with HTTP',
  aborted: 'was not waited for, because the request was aborted',
}

interface SafeFetchErrorOptions {
  maybeSent: boolean
  host?: string | undefined
  code?: string | undefined
  message?: string | undefined
}

/**
 * A request without a usable response. It has no cause, because the libraries' errors contain URLs with their query,
 * headers and parts of bodies: it keeps only the host and the system's error code.
 */
export class SafeFetchError extends Error {
  override readonly name = 'SafeFetchError'
  readonly reason: SafeFetchReason
  /** False only if no byte of the request can have reached the site. */
  readonly maybeSent: boolean
  /** The system's or TLS's code (`ECONNREFUSED`, `CERT_HAS_EXPIRED`), for the log. */
  readonly code: string | undefined

  constructor(reason: SafeFetchReason, { maybeSent, host, code, message }: SafeFetchErrorOptions) {
    super(message ?? `The site ${host ? `${host} ` : ''}${sentences[reason]}.`)
    this.reason = reason
    this.maybeSent = maybeSent
    this.code = code
  }
}

/** Codes of OpenSSL's certificate verification, of Node's TLS, and of handshakes with servers that do not speak TLS. */
const tlsCodes =
  /^(CERT_|CRL_|UNABLE_TO_|ERROR_IN_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_|ERR_SSL_|EPROTO)/

/** How far a request got. From `sending` on, part of it may have reached the site. */
export type Stage = 'resolving' | 'connecting' | 'sending'

/** Classifies any error of the libraries, by code and never by message. */
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
  // A resolver that does not answer counts as failed, whichever timer ran out first.
  if (stage === 'resolving') return 'dns'
  if (late) return 'timeout'
  if (code !== undefined && tlsCodes.test(code)) return 'tls'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too-large'
  return stage === 'sending' ? 'reset' : 'connect'
}

/** The error and its chain of causes. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let next = error; next instanceof Error && !chain.includes(next); next = next.cause) chain.push(next)
  return chain
}

/** DOMExceptions have numeric codes, which say nothing here. */
const codeOf = (error: unknown): string | undefined => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
