import type { SiteTool } from '../sites/tool.ts'
import type { VaultEntry } from './vault-entry.ts'
import type { Vault } from './vault.ts'

/** A tool of a connected site that an agent or a session may use. */
export interface UsableTool {
  entryId: string
  siteName: string
  siteOrigin: string
  tool: SiteTool
  /** Whether its calls need an approval. */
  asksFirst: boolean
}

/** The chosen tools of a site, null for all, whose scopes are granted, in the order of its manifest. */
export function usableTools(
  vault: Pick<Vault, 'toolsOf'>,
  entry: Parameters<Vault['toolsOf']>[0] & Pick<VaultEntry, 'id' | 'name' | 'origin'>,
  chosen: readonly string[] | null,
  asksFirst: (tool: SiteTool) => boolean,
): UsableTool[] {
  const allowed = vault.toolsOf(entry).filter(({ name, usable }) => usable && (chosen?.includes(name) ?? true))
  const site = { entryId: entry.id, siteName: entry.name, siteOrigin: entry.origin }
  return allowed.map((tool) => ({ ...site, tool, asksFirst: asksFirst(tool) }))
}
