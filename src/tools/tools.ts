import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { persist, type Database } from '../database.ts'
import { assertThat, CodedError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { SafeFetch } from '../safe-fetch.ts'
import type { Sites } from '../sites/sites.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { Vault } from '../vault/vault.ts'
import { createCallSite, type CallOutcome } from './call-site.ts'
import { statusAfter, ToolCall } from './tool-call.ts'

/** How long a direct call waits for the database to take its outcome, before the client gets an error instead. */
const settleMs = 20_000

/** What a direct call brought. */
export interface DirectResult {
  callId: string
  result: Record<string, unknown>
}

/** Tool calls that somebody makes directly, without an agent, and the way all calls are sent. */
export function createTools(context: {
  database: Database
  clock: Clock
  config: Config
  fetch: SafeFetch
  sites: Sites
  vault: Vault
}) {
  const { database, clock, sites, vault } = context
  const callSite = createCallSite(context)

  async function settle(id: string, outcome: CallOutcome, effect: ToolCall['effect']): Promise<void> {
    await ToolCall.query(database)
      .findById(id)
      .patch({
        status: statusAfter(effect, outcome),
        httpStatus: outcome.httpStatus,
        result: { text: outcome.text },
        endedAt: clock.now(),
      })
  }

  return {
    callSite,

    /**
     * Calls a tool of a connected site once. Its row is written before anything is sent, as for the calls of runs. Fails
     * with NOT_FOUND (no such tool), VALIDATION_ERROR (arguments against the input schema), SITE_UNAVAILABLE,
     * TOOL_EXECUTION_ERROR.
     */
    async callDirectly(entry: VaultEntry, name: string, args: Record<string, unknown>): Promise<DirectResult> {
      const tool = vault.toolsOf(entry).find((candidate) => candidate.name === name)
      assertThat(tool, 'NOT_FOUND', { message: 'The site has no tool of this name.' })
      const details = sites.argumentProblems(tool.inputSchema, args)
      const message = `The arguments do not fit the tool's input schema. ${details[0]?.path ?? ''}: ${details[0]?.message ?? ''}`
      assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
      const connection = await vault.connection(entry.ownerId, entry.id)
      assertThat(connection, 'NOT_FOUND', { message: 'There is no vault entry with this identifier.' })

      const id = newId()
      const row = directRow(id, entry, tool, JSON.stringify(args), clock.now())
      await ToolCall.query(database).insert(row)
      const { idempotencyKey } = row
      const outcome = await callSite({ ...connection, tool: name, arguments: row.arguments.text, idempotencyKey })
      await persist(() => settle(id, outcome, tool.effect), AbortSignal.timeout(settleMs))
      if (outcome.kind === 'succeeded') return { callId: id, result: outcome.value }
      throw toError(outcome)
    },
  }
}

export type Tools = ReturnType<typeof createTools>

const directRow = (
  id: string,
  entry: VaultEntry,
  tool: { name: string; effect: ToolCall['effect'] },
  text: string,
  now: Date,
) => ({
  id,
  ownerId: entry.ownerId,
  origin: 'direct' as const,
  name: tool.name,
  vaultEntryId: entry.id,
  siteOrigin: entry.origin,
  tool: tool.name,
  effect: tool.effect,
  arguments: { text },
  idempotencyKey: `direct:${id}`,
  status: 'started' as const,
  attempts: 1,
  plannedAt: now,
  startedAt: now,
})

/** A failed call as the client learns of it (decisions, "Outgoing requests"). */
function toError(outcome: Exclude<CallOutcome, { kind: 'succeeded' }>): CodedError {
  const { kind, text: message } = outcome
  if (kind === 'unavailable') return new CodedError('SITE_UNAVAILABLE', { message })
  const retryAfter = kind === 'refused' ? outcome.retryAfter : undefined
  return new CodedError('TOOL_EXECUTION_ERROR', { message, ...(retryAfter !== undefined && { retryAfter }) })
}
