import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { describeTool, shownSchema } from '../../src/models/tool-texts.ts'
import type { SiteTool } from '../../src/sites/tool.ts'
import { usableTools, type UsableTool } from '../../src/vault/usable-tools.ts'
import { useRoute } from '../route/use-route.ts'
import { callTool } from '../vault.ts'
import type { McpUser } from './mcp-user.ts'
import { slug } from './names.ts'
import type { OfferedTool } from './offered.ts'
import { resultOf } from './results.ts'
import { withKey } from './with-key.ts'

/** The most sites whose tools are offered, the newest ones. */
export const mostSites = 100
/** Manifests may be large, so a few are read at a time. */
const readTogether = 10

type Named = Omit<OfferedTool, 'name'> & { wanted: string; key: string }

/** The tools of the caller's connected sites that may be called now. */
export async function siteTools(user: McpUser): Promise<Named[]> {
  const { vault } = user.services
  const { items } = await vault.list(user.ownerId, { limit: mostSites })
  const found: Named[] = []
  for (let at = 0; at < items.length; at += readTogether) {
    const ids = items.slice(at, at + readTogether).map(({ id }) => id)
    const entries = await vault.known(user.ownerId, ids)
    for (const entry of entries)
      for (const tool of usableTools(vault, entry, null, () => false)) found.push(offered(user, tool))
  }
  return found
}

function offered(user: McpUser, { entryId, siteName, tool }: UsableTool): Named {
  const site = slug(siteName)
  return {
    wanted: site === '' ? tool.name : `${site}_${tool.name}`,
    key: `${entryId} ${tool.name}`,
    scope: 'run',
    describe: () => describe(siteName, tool),
    async call({ args, idempotencyKey }) {
      const given = { params: { entryId, toolName: tool.name }, body: args }
      return resultOf(await useRoute(callTool, withKey(user, idempotencyKey), given))
    },
  }
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
