import { mayDo } from '../../src/owners/reach.ts'
import { agentTools } from './agent-tools.ts'
import type { McpUser } from './mcp-user.ts'
import { uniqueNames } from './names.ts'
import type { OfferedTool } from './offered.ts'
import { readingNames, readingTools } from './reading-tools.ts'
import { siteTools } from './site-tools.ts'

/** All tools that the sender of a request may use, in the order of their names. */
export async function offerTo(user: McpUser): Promise<OfferedTool[]> {
  const reading = user.scopes.has('read') ? readingTools(user) : []
  const mayUse = user.scopes.has('run') && mayDo(user.caller.reach, user.ownerId, 'use')
  const acting = mayUse ? [...(await siteTools(user)), ...(await agentTools(user))] : []
  return [...reading, ...uniqueNames(acting, readingNames)].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
