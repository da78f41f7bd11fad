import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Sites } from '../sites/sites.ts'
import type { VaultEntry } from '../vault/vault-entry.ts'
import type { Vault } from '../vault/vault.ts'
import type { CallOutcome } from './call-site.ts'
import type { Ledger, Sender, Sending, Sent } from './sender.ts'
import { DirectToolCall, statusAfter } from './tool-call.ts'

/** How long a direct call waits for the database to record its outcome before the client gets an error. */
const recordMs = 20_000
/** A direct call is sent once more if the site answers 401 and there is a newer credential. */
const maxAttempts = 2

/** The result of a direct call. */
interface DirectResult {
  callId: string
  result: Record<string, unknown>
}

/** Tool calls that users make directly, without an agent. */
export function createTools(context: {
  database: Database
  clock: Clock
  config: Config
  sites: Sites
  vault: Vault
  sender: Sender
}) {
  const { database, clock, config, sites, vault, sender } = context

  /** Returns the tool if it may be called with these arguments. */
  async function check(entry: VaultEntry, name: string, args: Record<string, unknown>) {
    const tool = vault.toolsOf(entry).find((candidate) => candidate.name === name)
    assertThat(tool, 'NOT_FOUND', { message: 'The site has no tool of this name.' })
    const needs = `The tool needs the scope "${tool.scope}", which was not granted. Authorize the site again with this tool.`
    assertThat(tool.usable, 'PERMISSION_DENIED', { message: needs })
    const details = await sites.argumentProblems(tool.inputSchema, args, entry.ownerId)
    const message = `The arguments do not fit the tool's input schema. ${details[0]?.path ?? ''}: ${details[0]?.message ?? ''}`
    assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
    return tool
  }

  /** The call's row. It is inserted at the first attempt, so a call that is rejected earlier leaves no row. */
  function ledgerOf(
    row: ReturnType<typeof directRow>,
  ): Ledger & { attempts: () => number; refused: () => number | null } {
    let attempts = 0
    let refused: number | null = null
    return {
      attempts: () => attempts,
      refused: () => refused,
      onRefreshed: async () => {},
      async onRefused(_outcome, refusedGeneration) {
        await DirectToolCall.query(database).findById(row.id).patch({ refusedAttempts: attempts, refusedGeneration })
        refused = refusedGeneration
      },
      async begin() {
        const now = clock.now()
        attempts += 1
        if (attempts === 1) await DirectToolCall.query(database).insert({ ...row, plannedAt: now, startedAt: now })
        else await DirectToolCall.query(database).findById(row.id).patch({ attempts })
        return true
      },
    }
  }

  async function recordOutcome(
    id: string,
    status: DirectToolCall['status'],
    outcome: Partial<CallOutcome>,
  ): Promise<void> {
    const { httpStatus = null, text = '' } = outcome
    const work = () =>
      DirectToolCall.query(database).findById(id).patch({ status, httpStatus, result: text, endedAt: clock.now() })
    await retryWhileUnavailable(async () => void (await work()), AbortSignal.timeout(recordMs))
  }

  async function sendWithRetry(sending: Sending, ledger: ReturnType<typeof ledgerOf>): Promise<Sent> {
    const sent = await sender.send(sending, ledger)
    if (sent.kind !== 'again' || ledger.attempts() >= maxAttempts) return sent
    return sendWithRetry({ ...sending, refusedGeneration: ledger.refused() }, ledger)
  }

  return {
    /**
     * Calls a tool of a connected site. The row is written before anything is sent, as for the calls of runs. Throws
     * NOT_FOUND (no such tool), PERMISSION_DENIED (a scope that was not granted), VALIDATION_ERROR (arguments against
     * the input schema), OUTGOING_RATE_LIMITED, SITE_UNAVAILABLE, TOOL_EXECUTION_ERROR (also for a dead credential).
     */
    async callDirectly(entry: VaultEntry, name: string, args: Record<string, unknown>): Promise<DirectResult> {
      const tool = await check(entry, name, args)
      const row = directRow(entry, tool, JSON.stringify(args))
      const ledger = ledgerOf(row)
      const sent = await sendWithRetry(toSending(row), ledger)
      if (sent.kind === 'answered') {
        const { outcome } = sent
        await recordOutcome(row.id, statusAfter(tool, outcome), outcome)
        if (outcome.kind === 'succeeded') return { callId: row.id, result: outcome.value }
        throw toError(outcome)
      }
      const error = toUnsentError(sent, clock.now())
      // The site said that what was sent had no effect.
      if (ledger.attempts() > 0) await recordOutcome(row.id, 'failed', { httpStatus: null, text: error.message })
      throw error
    },

    /** Closes direct calls whose process ended before it recorded their outcome. */
    async closeAbandoned(): Promise<void> {
      const longestMs = (config.sites.timeoutSeconds + config.sites.tokenTimeoutSeconds) * 2000 + recordMs + 60_000
      const text = 'The process that made this call ended before its outcome was recorded.'
      const now = clock.now()
      const before = new Date(now.getTime() - longestMs)
      await database.raw(closeStatement, { result: text, now, before })
    },
  }
}

function directRow(entry: VaultEntry, tool: { name: string; effect: DirectToolCall['effect'] }, text: string) {
  const id = newId()
  return {
    id,
    ownerId: entry.ownerId,
    vaultEntryId: entry.id,
    siteOrigin: entry.origin,
    tool: tool.name,
    effect: tool.effect,
    arguments: text,
    status: 'started' as const,
    attempts: 1,
  }
}

const toSending = (row: ReturnType<typeof directRow>): Sending => ({
  callId: row.id,
  ownerId: row.ownerId,
  entryId: row.vaultEntryId,
  tool: row.tool,
  arguments: row.arguments,
  idempotencyKey: `direct:${row.id}`,
  share: `direct:${row.ownerId}`,
  mayWait: false,
  refusedGeneration: null,
})

/** The error of a failed call (docs/design.md, "Outgoing requests"). */
function toError({ kind, text: message }: Exclude<CallOutcome, { kind: 'succeeded' }>): CodedError {
  return new CodedError(kind === 'unavailable' ? 'SITE_UNAVAILABLE' : 'TOOL_EXECUTION_ERROR', { message })
}

/** The error of a call that had no effect. */
function toUnsentError(sent: Exclude<Sent, { kind: 'answered' }>, now: Date): CodedError {
  if (sent.kind === 'held') {
    const seconds = Math.max(1, Math.ceil((sent.until.getTime() - now.getTime()) / 1000))
    // Our own limit ends within a minute; a site's Retry-After is passed on unchanged.
    const retryAfter = sent.why === 'limit' ? Math.min(seconds, 60) : seconds
    const message = `Too many tool calls to ${sent.host}. Try again in ${retryAfter} seconds.`
    return new CodedError('OUTGOING_RATE_LIMITED', { message, retryAfter })
  }
  if (sent.kind === 'unsent') return new CodedError('SITE_UNAVAILABLE', { message: sent.outcome.text })
  if (sent.kind === 'again') return new CodedError('TOOL_EXECUTION_ERROR', { message: sent.outcome.text })
  const message = sent.kind === 'parked' ? sent.message : 'The call was not made.'
  return new CodedError('TOOL_EXECUTION_ERROR', { message })
}

const closeStatement = `
  update direct_tool_calls
     set result = :result, ended_at = :now,
         status = (case when effect = 'read' or refused_attempts = attempts then 'failed' else 'unknown' end)::tool_call_status
   where status = 'started' and started_at < :before`
