/** The codes of docs/specification.md and their statuses, repeated here on purpose. */
export const statuses = {
  UNAUTHORIZED: 401,
  TOKEN_EXPIRED: 401,
  TOKEN_REVOKED: 401,
  INVALID_TOKEN: 401,
  ADMIN_REQUIRED: 403,
  TERMS_NOT_ACCEPTED: 403,
  RATE_LIMITED: 429,
  OUTGOING_RATE_LIMITED: 429,
  NO_CREDITS: 402,
  NO_PAYMENT_METHOD: 402,
  PAYMENT_FAILED: 402,
  SUBSCRIPTION_PAST_DUE: 402,
  TIER_REQUIRED: 403,
  FEATURE_LIMIT_REACHED: 403,
  WORKSPACE_REQUIRED: 403,
  INVALID_SESSION: 400,
  SESSION_NOT_FOUND: 404,
  SESSION_EXPIRED: 410,
  CHAT_TIMEOUT: 504,
  STREAM_ABORTED: 499,
  MODEL_ERROR: 502,
  TOOL_EXECUTION_ERROR: 502,
  SITE_UNAVAILABLE: 503,
  TOKEN_EXISTS: 409,
  VAULT_LIMIT_REACHED: 403,
  MANIFEST_NOT_FOUND: 404,
  MANIFEST_INVALID: 422,
  AGENT_NOT_FOUND: 404,
  AGENT_LIMIT_REACHED: 403,
  RUN_NOT_FOUND: 404,
  RUN_NOT_CANCELLABLE: 400,
  AGENT_ALREADY_RUNNING: 409,
  WEBHOOK_SECRET_INVALID: 401,
  WEBHOOK_PAYLOAD_INVALID: 422,
  VALIDATION_ERROR: 400,
  INVALID_URL: 400,
  NOT_FOUND: 404,
  WORKSPACE_NOT_FOUND: 404,
  PERMISSION_DENIED: 403,
  MEMBER_NOT_FOUND: 404,
  ROLE_CHANGE_FORBIDDEN: 403,
} as const

export type Code = keyof typeof statuses

/** Codes whose error body always lists the invalid input in `details`. No other code has `details`. */
export const withDetails: readonly Code[] = ['VALIDATION_ERROR', 'MANIFEST_INVALID', 'WEBHOOK_PAYLOAD_INVALID']

/** Extra members of errors about a tool call (docs/how-to/connect-a-site.md). */
export const ofToolCalls = {
  codes: ['TOOL_EXECUTION_ERROR', 'SITE_UNAVAILABLE', 'OUTGOING_RATE_LIMITED'] as readonly Code[],
  members: ['callId', 'outcome', 'siteStatus'],
}
