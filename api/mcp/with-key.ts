import { assertThat, problemAt } from '../../src/errors.ts'
import type { McpUser } from './mcp-user.ts'

/** The member of `_meta` with which a client gives a call a key. */
const keyMember = 'switchyard/idempotency-key'

/** The client's key for a call. VALIDATION_ERROR if it is no text: the call must not be made without it. */
export function keyIn(meta: Record<string, unknown> | undefined): string | undefined {
  const key = meta?.[keyMember]
  const isText = key === undefined || typeof key === 'string'
  assertThat(isText, 'VALIDATION_ERROR', problemAt(keyMember, `"${keyMember}" must be a string.`))
  return key
}

/** The user of a route whose request has this key. */
export const withKey = (user: McpUser, idempotencyKey: string | undefined): McpUser => ({
  ...user,
  request: { ...user.request, header: (name) => (name === 'Idempotency-Key' ? idempotencyKey : undefined) },
})
