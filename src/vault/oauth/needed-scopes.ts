import { CodedError } from '../../errors.ts'
import type { Scope, SiteTool } from '../../sites/tool.ts'

const inOrder: readonly Scope[] = ['read', 'write', 'delete', 'admin']

/** The scopes that the tools need, in ascending order. */
export const scopesOf = (tools: readonly Pick<SiteTool, 'scope'>[]): Scope[] =>
  inOrder.filter((scope) => tools.some((tool) => tool.scope === scope))

/**
 * The minimal scopes that the chosen tools need and the site offers, plus those already granted (docs/specification.md,
 * "OAuth 2.0 with PKCE"). Without a choice: the scopes granted before, or else those of all tools. Lists the tools
 * whose scope is not offered. VALIDATION_ERROR for an unknown tool.
 */
export function neededScopes(
  tools: SiteTool[],
  offered: readonly Scope[],
  { chosen, granted }: { chosen?: readonly string[] | undefined; granted: readonly Scope[] },
): { scopes: Scope[]; unusableTools: string[] } {
  assertKnown(tools, chosen ?? [])
  const all = chosen === undefined && granted.length === 0
  const wanted = tools.filter(({ name }) => all || chosen?.includes(name))
  const needed = new Set([...granted, ...wanted.map(({ scope }) => scope)])
  return {
    scopes: inOrder.filter((scope) => needed.has(scope) && offered.includes(scope)),
    unusableTools: wanted.filter(({ scope }) => !offered.includes(scope)).map(({ name }) => name),
  }
}

/** Whether the granted scopes allow a tool. A pasted token has no scopes (null), so it allows every tool. */
export const isUsable = (tool: Pick<SiteTool, 'scope'>, granted: readonly Scope[] | null): boolean =>
  granted === null || granted.includes(tool.scope)

/** Explains why a tool without a granted scope cannot be called, and what to do. `note`: the site's grant. */
export const notGranted = ({ scope }: Pick<SiteTool, 'scope'>, note: string | null): string =>
  `The tool needs the "${scope}" scope, which was not granted. ${note ?? 'Authorize the site again and include this tool.'}`

function assertKnown(tools: SiteTool[], chosen: readonly string[]): void {
  const known = new Set(tools.map(({ name }) => name))
  const details = chosen
    .filter((name) => !known.has(name))
    .map((name) => ({ path: 'tools', message: `The site has no tool named ${JSON.stringify(name)}.` }))
  if (details.length > 0) throw new CodedError('VALIDATION_ERROR', { message: details[0]?.message ?? '', details })
}
