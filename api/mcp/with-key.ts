import type { McpUser } from './mcp-user.ts'

/** The member of `_meta` with which a client gives a call a key. */
export const keyMember = 'switchyard/idempotency-key'

/** The user of a route whose request has this key. */
export const withKey = (user: McpUser, idempotencyKey: string | undefined): McpUser => ({
  ...user,
  request: { ...user.request, header: (name) => (name === 'Idempotency-Key' ? idempotencyKey : undefined) },
})
