import type { Context } from 'koa'
import { assertThat } from '../../src/errors.ts'
import type { McpScope } from './authenticate.ts'
import { isReading } from './reading-tools.ts'

/** What a message needs; undefined if any client may send it. */
function neededScope(message: object): McpScope | undefined {
  const { method, params } = message as { method?: unknown; params?: { name?: unknown } }
  if (method === 'tools/list' || method === 'tasks/get') return 'read'
  if (method === 'tasks/update') return 'decide'
  if (method === 'tasks/cancel') return 'run'
  if (method !== 'tools/call') return undefined
  return isReading(params?.name) ? 'read' : 'run'
}

/**
 * Refuses a message whose scope the client lacks: PERMISSION_DENIED, with the scope in the challenge, so that a client
 * can ask its user for it (RFC 6750, 3.1). A refusal in a result would not reach the client's sign-in.
 */
export function requireScopeFor(message: object, scopes: ReadonlySet<McpScope>, ctx: Context): void {
  const scope = neededScope(message)
  if (scope === undefined || scopes.has(scope)) return
  ctx.set('WWW-Authenticate', `Bearer realm="Switchyard", error="insufficient_scope", scope="${scope}"`)
  assertThat(false, 'PERMISSION_DENIED', { message: `This needs the scope "${scope}". ${grants[scope]}` })
}

const grants: Record<McpScope, string> = {
  read: 'An app gets it from its user, and an API key has it with "read".',
  run: 'An app gets it from its user, and an API key has it with "write".',
  decide: 'An app gets it from its user, and an API key has it with "decide".',
}
