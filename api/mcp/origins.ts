import type { Context } from 'koa'
import { assertThat } from '../../src/errors.ts'

/**
 * Refuses pages of other origins, whatever their host resolves to (2026-07-28, "Streamable HTTP", security warning).
 * Programs send no Origin. PERMISSION_DENIED.
 */
export function refuseOtherOrigins(
  ctx: Context,
  { baseUrl, corsOrigins }: { baseUrl: string; corsOrigins: readonly string[] },
): void {
  const origin = ctx.get('origin')
  const isOwn = origin === '' || origin === new URL(baseUrl).origin
  const isAllowed = isOwn || corsOrigins.includes('*') || corsOrigins.includes(origin)
  assertThat(isAllowed, 'PERMISSION_DENIED', { message: 'Pages of this origin may not use the MCP server.' })
}
