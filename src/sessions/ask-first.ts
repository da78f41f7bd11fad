import type { SiteTool } from '../sites/tool.ts'

/** Whether the platform itself wants a person to approve calls of a tool in a chat: what it does cannot be taken back. */
const isIrreversible = ({ effect, scope }: Pick<SiteTool, 'effect' | 'scope'>): boolean =>
  effect === 'once' && (scope === 'delete' || scope === 'admin')

/**
 * Whether a session calls a tool only once somebody has approved the call. `askFirst` are the tools that the session
 * names for the site; null leaves it to the platform.
 */
export const asksFirst = (
  tool: Pick<SiteTool, 'name' | 'effect' | 'scope'>,
  askFirst: readonly string[] | null,
): boolean => askFirst?.includes(tool.name) ?? isIrreversible(tool)
