import type { CallToolResult } from '@modelcontextprotocol/server'
import { vaultEntryPage } from '../../src/console-pages.ts'
import { newId } from '../../src/ids.ts'
import { noteFailure } from '../failures.ts'
import { useRoute } from '../route/use-route.ts'
import { callTool } from '../vault.ts'
import type { McpUser } from './mcp-user.ts'
import type { ToolCall } from './offered.ts'
import { resultOf } from './results.ts'
import { inPlace, longestWaitMs } from './waiting.ts'
import { withKey } from './with-key.ts'

interface Named {
  entryId: string
  toolName: string
}

/**
 * Calls a tool of a site. A response that would take too long names the call, which then has its outcome on record. A
 * call without a key gets one, so that it can be found.
 */
export async function callSite(user: McpUser, named: Named, { args, idempotencyKey, gone }: ToolCall) {
  const key = idempotencyKey ?? `mcp-${newId()}`
  return inPlace(user, gone, async (over) => {
    const calling = useRoute(callTool, withKey(user, key), { params: { ...named }, body: args })
    const first = await Promise.race([calling.then(resultOf), aborted(over)])
    if (first) return first
    calling.catch((error: unknown) => noteFailure(user.services.logger, error))
    return unfinished(user, named.entryId, key)
  })
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    const end = () => resolve(undefined)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })

/** What is known of a call that continues. It has no id before it is sent. */
async function unfinished({ services, ownerId }: McpUser, entryId: string, key: string): Promise<CallToolResult> {
  const entry = await services.vault.get(ownerId, entryId)
  const [call] = (await services.tools.list(entry, { idempotencyKey: key, limit: 1 })).items
  const url = `${services.config.http.baseUrl}${vaultEntryPage(entryId)}`
  return resultOf({ callId: call?.id ?? null, vaultEntryId: entryId, status: call?.status ?? 'planned', url, message })
}

const message = `The site has not responded within ${longestWaitMs / 1000} seconds, and the call continues. Do not repeat it. Use get_call with the two ids later.`
