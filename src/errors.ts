/**
 * The error catalogue: every code of docs/specification.md, "Codes", plus METHOD_NOT_ALLOWED and REQUEST_TIMEOUT, and
 * INTERNAL_ERROR for everything else. Nothing else maps codes to statuses.
 */

interface CatalogueEntry {
  status: number
  message: string
  /** Whether the same request may succeed later. */
  retryable: boolean
}

export const catalogue = {
  UNAUTHORIZED: entry(401, 'No valid authentication token was provided. Send "Authorization: Bearer <token>".'),
  TOKEN_EXPIRED: entry(401, 'The access token has expired. Get a new one with POST /auth/refresh.'),
  TOKEN_REVOKED: entry(401, 'The access token has been revoked. Sign in again.'),
  INVALID_TOKEN: entry(401, 'The token is malformed or was not issued by this platform.'),
  ADMIN_REQUIRED: entry(403, 'This operation requires admin privileges.'),
  TERMS_NOT_ACCEPTED: entry(403, 'Accept the terms first with POST /auth/accept-terms.'),
  RATE_LIMITED: entry(429, 'Too many requests. Wait for the number of seconds in the Retry-After header.', true),
  OUTGOING_RATE_LIMITED: entry(429, 'Too many tool calls to this site. Try again in 60 seconds.', true),
  NO_CREDITS: entry(402, 'You have no credits left.'),
  NO_PAYMENT_METHOD: entry(402, 'No payment method is on file. Add one with POST /billing/payment-methods.'),
  PAYMENT_FAILED: entry(402, 'The charge was declined. Use another payment method.'),
  SUBSCRIPTION_PAST_DUE: entry(402, 'The subscription payment is overdue. Pay it with POST /billing/subscription.'),
  TIER_REQUIRED: entry(403, 'This feature requires a higher subscription tier.'),
  FEATURE_LIMIT_REACHED: entry(403, 'Your account has reached its limit for this feature.'),
  WORKSPACE_REQUIRED: entry(403, 'This operation requires a tier that includes workspaces.'),
  INVALID_SESSION: entry(400, 'The session token is invalid or expired. Create a new session with POST /sessions.'),
  SESSION_NOT_FOUND: entry(404, 'There is no session with this token.'),
  SESSION_EXPIRED: entry(410, 'The session has expired. Create a new one with POST /sessions.'),
  CHAT_TIMEOUT: entry(504, 'The answer took longer than the time limit.', true),
  STREAM_ABORTED: entry(499, 'The client disconnected during streaming. The partial response was not saved.'),
  MODEL_ERROR: entry(502, 'The AI provider returned an error.', true),
  TOOL_EXECUTION_ERROR: entry(502, 'A tool call to a connected site failed.'),
  SITE_UNAVAILABLE: entry(503, 'The connected site is unreachable.', true),
  TOKEN_EXISTS: entry(409, 'The vault already has an entry for this site. Update that entry, or delete it first.'),
  VAULT_LIMIT_REACHED: entry(403, 'Your account has reached its limit for sites in the vault.'),
  MANIFEST_NOT_FOUND: entry(404, 'The manifest could not be fetched from the site.'),
  MANIFEST_INVALID: entry(422, "The site's manifest is malformed or lacks required fields."),
  AGENT_NOT_FOUND: entry(404, 'There is no agent with this id.'),
  AGENT_LIMIT_REACHED: entry(403, 'Your account has reached its agent limit.'),
  RUN_NOT_FOUND: entry(404, 'There is no run with this id.'),
  RUN_NOT_CANCELLABLE: entry(400, 'The run has already ended.'),
  AGENT_ALREADY_RUNNING: entry(409, 'The agent already has an active run.', true),
  WEBHOOK_SECRET_INVALID: entry(401, 'The X-Webhook-Secret header is missing or does not match.'),
  WEBHOOK_PAYLOAD_INVALID: entry(422, "The payload does not match the agent's webhook schema."),
  VALIDATION_ERROR: entry(400, 'The request is invalid. The details list the fields to correct.'),
  INVALID_URL: entry(400, 'The URL is invalid. It must be absolute and include the protocol (https://).'),
  NOT_FOUND: entry(404, 'The requested resource does not exist.'),
  WORKSPACE_NOT_FOUND: entry(404, 'There is no workspace with this id.'),
  PERMISSION_DENIED: entry(403, 'You do not have permission to do this.'),
  MEMBER_NOT_FOUND: entry(404, 'The user is not a member of the workspace.'),
  ROLE_CHANGE_FORBIDDEN: entry(
    403,
    "The owner's role cannot be changed this way. Transfer ownership of the workspace instead.",
  ),
  METHOD_NOT_ALLOWED: entry(
    405,
    'This path does not support this method. The Allow header lists the methods it supports.',
  ),
  REQUEST_TIMEOUT: entry(408, 'The request did not arrive completely in time. Send it again.', true),
  INTERNAL_ERROR: entry(
    500,
    'Something went wrong on our side. Try again. If the problem persists, report it with the request id.',
    true,
  ),
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue

function entry(status: number, message: string, retryable = false): CatalogueEntry {
  return { status, message, retryable }
}

/** One invalid part of a request: a dotted path (`schema.0.type`) and a sentence. */
export interface ErrorDetail {
  path: string
  message: string
}

/** A problem as a clause: `"schema.0.type" must be text`, or `it must be text` if the path is the whole. */
export const problemInWords = ({ path, message }: ErrorDetail): string =>
  `${path === '' ? 'it' : JSON.stringify(path)} ${message}`

export interface ErrorOptions {
  /** A public message instead of the catalogue's. Must not contain secrets. */
  message?: string
  details?: ErrorDetail[]
  facts?: Record<string, string | number>
  /** Seconds after which a retry makes sense; becomes the Retry-After header. */
  retryAfter?: number
  /**
   * The challenge of a 401, if not for a bearer token: an authentication scheme and its parameters (RFC 9110, 11.6.1).
   * Becomes the WWW-Authenticate header.
   */
  challenge?: readonly [scheme: string, ...parameters: string[]]
  retryable?: boolean
  /** Detail for the log; never sent to clients. */
  privateDetail?: string
  /** Whether a third party caused an INTERNAL_ERROR, so operators cannot fix it. */
  isOutside?: boolean
  cause?: unknown
}

/** An error with a code of the catalogue. Clients see the code, public message, details and facts, and nothing else. */
export class CodedError extends Error {
  override readonly name = 'CodedError'
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly facts: Record<string, string | number> | undefined
  readonly retryAfter: number | undefined
  readonly challenge: ErrorOptions['challenge']
  readonly retryable: boolean
  readonly privateDetail: string | undefined
  readonly isOutside: boolean

  constructor(code: ErrorCode, options: ErrorOptions = {}) {
    super(options.message ?? catalogue[code].message, { cause: options.cause })
    this.code = code
    this.details = options.details
    this.facts = options.facts
    this.retryAfter = options.retryAfter
    this.challenge = options.challenge
    this.retryable = options.retryable ?? catalogue[code].retryable
    this.privateDetail = options.privateDetail
    this.isOutside = options.isOutside ?? false
  }

  get status(): number {
    return catalogue[this.code].status
  }
}

/** Throws the coded error unless the condition holds, and narrows its type. */
export function assertThat(condition: unknown, code: ErrorCode, options?: ErrorOptions): asserts condition {
  if (!condition) throw new CodedError(code, options)
}

/** Options of an error about one member of a request. */
export const problemAt = (path: string, message: string): ErrorOptions => ({ message, details: [{ path, message }] })

/** Whether the value is a coded error, with the given code if any. */
export function isCoded(error: unknown, code?: ErrorCode): error is CodedError {
  return error instanceof CodedError && (code === undefined || error.code === code)
}

/** The body of every error response (docs/specification.md, "Platform error body"). */
export function errorBody(error: CodedError) {
  return {
    error: error.message,
    code: error.code,
    statusCode: error.status,
    ...(error.details && { details: error.details }),
    ...error.facts,
  }
}
