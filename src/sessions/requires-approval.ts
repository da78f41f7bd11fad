import type { SiteTool } from '../sites/tool.ts'

/** Whether the platform itself requires an approval of the tool's calls in a chat: their effects cannot be undone. */
const isIrreversible = ({ effect, scope }: Pick<SiteTool, 'effect' | 'scope'>): boolean =>
  effect === 'once' && (scope === 'delete' || scope === 'admin')

/**
 * Whether a session needs an approval for each call of a tool. `askFirst` lists the session's tools for the site; null
 * applies the platform's rule.
 */
export const requiresApproval = (
  tool: Pick<SiteTool, 'name' | 'effect' | 'scope'>,
  askFirst: readonly string[] | null,
): boolean => askFirst?.includes(tool.name) ?? isIrreversible(tool)
