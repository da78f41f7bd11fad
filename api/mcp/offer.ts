import { mayDo } from '../../src/owners/reach.ts'
import { agentTool, agentTools } from './agent-tools.ts'
import type { McpUser } from './mcp-user.ts'
import { tailIn } from './names.ts'
import type { CallTool, OfferedTool, Place } from './offered.ts'
import { readingTool, readingTools } from './reading-tools.ts'
import { siteTool, siteTools } from './site-tools.ts'

const mayAct = ({ scopes, caller, ownerId }: McpUser): boolean =>
  scopes.has('run') && mayDo(caller.reach, ownerId, 'use')

/** The tool with this name, if the sender of the request may use it. Only its own agent or site is read. */
export async function toolNamed(user: McpUser, name: string): Promise<CallTool | undefined> {
  const reading = user.scopes.has('read') ? readingTool(user, name) : undefined
  const tail = tailIn(name)
  if (reading || tail === undefined || !mayAct(user)) return reading
  return (await agentTool(user, name, tail)) ?? siteTool(user, name, tail)
}

/** The tools that the sender of a request may use, after a place in the list. Reads no more than is taken. */
export async function* offerTo(user: McpUser, after?: Place): AsyncGenerator<OfferedTool, void, undefined> {
  const { section = 'start' } = after ?? {}
  if (section === 'start' && user.scopes.has('read')) yield* readingTools
  if (!mayAct(user)) return
  if (section !== 'sites') yield* agentTools(user, section === 'agents' ? after : undefined)
  yield* siteTools(user, section === 'sites' ? after : undefined)
}
