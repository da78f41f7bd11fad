import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { describeTool, shownSchema } from '../../src/models/tool-texts.ts'
import type { SiteTool } from '../../src/sites/tool.ts'
import { usableTools } from '../../src/vault/usable-tools.ts'
import type { VaultEntry } from '../../src/vault/vault-entry.ts'
import { callSite } from './call-site.ts'
import type { McpUser } from './mcp-user.ts'
import { siteToolName } from './names.ts'
import type { CallTool, OfferedTool, Place } from './offered.ts'

/** The most sites whose tools are offered, the newest ones. */
export const mostSites = 100
/** Small manifests are read together: up to this many sites, and this many bytes as Postgres keeps them, compressed. */
const together = { sites: 10, bytes: 8 * 1024 }

/** The tools of the caller's connected sites that may be called now. `after` is a place among them. */
export async function* siteTools(user: McpUser, after?: Place): AsyncGenerator<OfferedTool, void, undefined> {
  const { vault } = user.services
  const sizes = await vault.manifestSizes(user.ownerId, mostSites)
  for (const ids of groupsOf(sizes.filter(({ id }) => !after || id <= after.id))) {
    const entries = new Map((await vault.known(user.ownerId, ids)).map((entry) => [entry.id, entry]))
    for (const id of ids) {
      // Other requests that wait for this process come first.
      await nextTurn()
      const entry = entries.get(id)
      const offered = entry ? toolsOf(user, entry) : []
      yield* after?.id === id ? offered.filter(({ name }) => name > after.name) : offered
    }
  }
}

function groupsOf(sizes: readonly { id: string; bytes: number }[]): string[][] {
  const groups: string[][] = []
  let [group, total] = [[] as string[], 0]
  for (const { id, bytes } of sizes) {
    if (group.length === 0 || group.length === together.sites || total + bytes > together.bytes) {
      groups.push((group = []))
      total = 0
    }
    group.push(id)
    total += bytes
  }
  return groups
}

function toolsOf({ services }: McpUser, entry: VaultEntry): OfferedTool[] {
  const tools = usableTools(services.vault, entry, null, () => false).map(({ tool }) => {
    const name = siteToolName(entry, tool.name)
    const place = { section: 'sites' as const, id: entry.id, name }
    return { name, place, describe: () => describe(entry.name, tool) }
  })
  return tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The tool with this name, which ends with the end of the site's id. */
export async function siteTool(user: McpUser, name: string, idEnd: string): Promise<CallTool | undefined> {
  for (const site of await user.services.vault.toolNamesAt(user.ownerId, idEnd)) {
    const toolName = site.tools.find((one) => siteToolName(site, one) === name)
    if (toolName !== undefined) return (call) => callSite(user, { entryId: site.id, toolName }, call)
  }
  return undefined
}

function describe(siteName: string, tool: SiteTool): Omit<Tool, 'name'> {
  const { description, inputSchema } = tool
  return {
    description: describeTool({ siteName, description }),
    inputSchema: { ...shownSchema(inputSchema), type: 'object' },
    annotations: annotationsOf(tool),
  }
}

/** Effects in MCP's words. An effect is the owner's word, not the site's hint. */
const annotationsOf = ({ effect, scope }: SiteTool): ToolAnnotations => ({
  readOnlyHint: effect === 'read',
  idempotentHint: effect !== 'once',
  openWorldHint: true,
  ...(effect === 'read' ? { destructiveHint: false } : scope === 'delete' && { destructiveHint: true }),
})
