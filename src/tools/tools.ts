import { setTimeout as delay } from 'node:timers/promises'
import { isSameJson } from '../canonical-json.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { recordMs, type Database, type Transaction } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { pollUntil } from '../database/poll-until.ts'
import { assertThat, isCoded, problemInWords } from '../errors.ts'
import { isId } from '../ids.ts'
import { JsonText } from '../json-text.ts'
import type { Logger } from '../logger.ts'
import type { CallLedger, PerformCall } from '../loop/perform-call.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Sites } from '../sites/sites.ts'
import { VaultEntry } from '../vault/vault-entry.ts'
import { notGranted } from '../vault/oauth/needed-scopes.ts'
import type { Vault } from '../vault/vault.ts'
import { answerOf, errorAfter, type DirectResult } from './direct-call.ts'
import { createDirectCallRows, directCall, type DirectCall } from './direct-call-rows.ts'
import { askAgainAt, inDoubt } from './job.ts'
import type { Sent } from './sender.ts'
import { DirectToolCall, isFinal } from './tool-call.ts'

/** The longest wait for the trial of a new token, in milliseconds. */
const trialMs = 5000
const maxTried = 10

/** Omits arguments and results: a hundred of these may be a hundred megabytes. */
const listedFields = `id tool effect status httpStatus idempotencyKey attempts plannedAt startedAt endedAt`.split(' ')

/** A client's request. Under its key, the tool is called once, however often the request is repeated. */
interface DirectRequest {
  tool: string
  args: Record<string, unknown>
  idempotencyKey: string | undefined
}

type Asked = Omit<DirectRequest, 'args'> & { args: string; ownerId: string }

const isSameText = (one: string, other: string): boolean =>
  one === other || isSameJson(JSON.parse(one), JSON.parse(other))

function assertKey(fits: boolean, message: string): void {
  assertThat(fits, 'VALIDATION_ERROR', { message, details: [{ path: 'Idempotency-Key', message }] })
}

export function createTools(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  billing: Billing
  sites: Sites
  vault: Vault
  performCall: PerformCall
  metrics: Pick<Metrics, 'toolCalls'>
}) {
  const { database, clock, config, logger, billing, sites, vault, performCall, metrics } = context
  const { ledgerOf } = createDirectCallRows(context)
  /** Polls of calls in progress, shared by repeated requests. */
  const lookedFor = new Map<string, Promise<DirectToolCall | undefined>>()
  const timeoutMs = config.sites.timeoutSeconds * 1000
  const longestMs = 4 * timeoutMs + config.sites.tokenTimeoutSeconds * 2000 + recordMs

  /** Returns the tool if it may be called with these arguments. */
  async function check(entry: VaultEntry, { tool: name, args }: Asked) {
    const tool = vault.toolsOf(entry).find((candidate) => candidate.name === name)
    assertThat(tool, 'NOT_FOUND', { message: 'The site has no tool with this name.' })
    assertThat(tool.usable, 'PERMISSION_DENIED', { message: notGranted(tool, entry.scopeNote) })
    const details = await sites.argumentProblems(tool.inputSchema, args, entry.ownerId)
    const message = `The arguments do not match the tool's input schema: ${details.slice(0, 1).map(problemInWords).join('')}`
    assertThat(details.length === 0, 'VALIDATION_ERROR', { message, details })
    return tool
  }

  const callUnder = (entry: VaultEntry, idempotencyKey: string | undefined) =>
    idempotencyKey === undefined
      ? undefined
      : DirectToolCall.query(database).findOne({ vaultEntryId: entry.id, idempotencyKey })

  /** The answer to a repeated request: the outcome of the first call, once it has ended. */
  async function repeat(first: DirectToolCall, { tool, args, ownerId }: Asked): Promise<DirectResult> {
    assertKey(first.ownerId === ownerId, 'This idempotency key was used before the site was moved here. Use a new key.')
    const isSame = first.tool === tool && isSameText(first.arguments, args)
    const message = `Call ${first.id} already used this idempotency key for a different tool or different arguments. Use a new key.`
    assertKey(isSame, message)
    return answerOf((isFinal(first.status) ? first : await ended(first.id)) ?? first)
  }

  /** The call after its end, or as it is after the longest wait. All waiting requests share one poll. */
  function ended(id: string): Promise<DirectToolCall | undefined> {
    const looking = lookedFor.get(id) ?? look(id).finally(() => lookedFor.delete(id))
    lookedFor.set(id, looking)
    return looking
  }

  async function look(id: string): Promise<DirectToolCall | undefined> {
    const state = async () => DirectToolCall.query(database).findById(id).select('status')
    await pollUntil(state, (call) => !call || isFinal(call.status), longestMs)
    return DirectToolCall.query(database).findById(id)
  }

  /**
   * Calls a tool of a connected site. Under a key, the tool is called once: a repeated request gets the recorded
   * outcome. Throws NOT_FOUND (unknown tool), FEATURE_LIMIT_REACHED (no room for results), PERMISSION_DENIED (a scope
   * that was not granted), VALIDATION_ERROR (arguments, or a reused key), OUTGOING_RATE_LIMITED, SITE_UNAVAILABLE (the
   * site certainly did nothing), TOOL_EXECUTION_ERROR (also for a dead credential and an unknown outcome).
   */
  async function callDirectly(entry: VaultEntry, { args, ...named }: DirectRequest): Promise<DirectResult> {
    const request = { ...named, args: JSON.stringify(args), ownerId: entry.ownerId }
    const earlier = await callUnder(entry, request.idempotencyKey)
    if (earlier) return repeat(earlier, request)
    await billing.storedBytes.assertStorageLimit(entry.ownerId, await billing.account(entry.ownerId))
    const tool = await check(entry, request)
    const made = directCall(entry, tool, request)
    billing.storedBytes.noteOne(entry.ownerId)
    const ledger = ledgerOf(made, vault.tokensIn(entry))
    const first = await performCall(ledger)
    const sent = made.job ? await followJob(made, ledger) : first
    if (!sent || sent.kind === 'dropped') {
      const faster = await callUnder(entry, request.idempotencyKey)
      // A call that has failed meanwhile may have freed its key.
      return faster ? repeat(faster, request) : callDirectly(entry, { args, ...named })
    }
    if (sent.kind === 'answered' && sent.outcome.kind === 'succeeded') {
      return { callId: made.id, result: new JsonText(sent.outcome.text) }
    }
    throw errorAfter(made, sent, clock.now())
  }

  /**
   * Waits for the end of a call that its site works on, as long as for a response: somebody waits for the answer. The site
   * is not told when that time is over, because the work may be wanted all the same.
   */
  async function followJob(made: DirectCall, ledger: CallLedger<DirectCall>): Promise<Sent | undefined> {
    const until = performance.now() + timeoutMs
    let sent: Sent | undefined
    while (made.job && made.status === 'started') {
      const now = clock.now()
      const ms = askAgainAt(made.job, now).getTime() - now.getTime()
      if (performance.now() + ms > until) {
        await ledger.finish(made, inDoubt(stillWorks))
        return { kind: 'answered', outcome: inDoubt(stillWorks) }
      }
      await delay(ms)
      sent = await performCall(ledger)
    }
    return sent && (sent.kind === 'answered' ? sent : { kind: 'answered', outcome: inDoubt(noLonger) })
  }

  async function harmless(entry: VaultEntry) {
    const reading = vault
      .toolsOf(entry)
      .filter(({ effect, scope, usable }) => effect === 'read' && scope === 'read' && usable)
    for (const tool of reading.slice(0, maxTried)) {
      if ((await sites.argumentProblems(tool.inputSchema, '{}', entry.ownerId)).length === 0) return tool
    }
    return undefined
  }

  /** The call is recorded and takes a slot of its host, like any other. */
  async function tryToken(entry: VaultEntry): Promise<void> {
    const tool = await harmless(entry)
    if (tool) await callDirectly(entry, { tool: tool.name, args: {}, idempotencyKey: undefined })
  }

  return {
    /**
     * Tries the token of an entry with a harmless tool of its site, if there is one, and waits at most five seconds.
     * The entry then says whether the site accepted it, refused it, or has not answered yet. Never fails because of the
     * site.
     */
    async tried(entry: VaultEntry): Promise<VaultEntry> {
      const trial = tryToken(entry).catch((error: unknown) => {
        if (!isCoded(error)) logger.warn({ err: error, entryId: entry.id }, 'failed to check a token')
      })
      await Promise.race([trial, delay(trialMs, undefined, { ref: false })])
      return (await VaultEntry.query(database).findById(entry.id)) ?? entry
    },

    callDirectly,

    /** The calls of an entry without their contents, newest first; those under a key if one is given. */
    list: (
      { id: vaultEntryId, ownerId, movedAt }: VaultEntry,
      { idempotencyKey, ...request }: PageRequest & { idempotencyKey?: string | undefined },
    ): Promise<Page<DirectToolCall>> =>
      page(DirectToolCall.query(database).select(...listedFields), {
        list: 'calls',
        time: 'startedAt',
        // Calls before a move belonged to another owner. Postgres would treat the two conditions as independent.
        of: { vaultEntryId, ...(movedAt && { ownerId }) },
        only: { idempotencyKey },
        ...request,
      }),

    /** An owner's calls at entries that were removed or moved to another owner, as `list` returns them. */
    listFormer: (ownerId: string, request: PageRequest): Promise<Page<DirectToolCall>> =>
      page(
        DirectToolCall.query(database)
          .select(...listedFields, 'vaultEntryId', 'siteOrigin')
          .whereRaw(isFormer),
        { list: 'calls', time: 'startedAt', of: { ownerId }, ...request },
      ),

    async get({ id: vaultEntryId, ownerId }: VaultEntry, callId: string): Promise<DirectToolCall> {
      const call = isId(callId)
        ? await DirectToolCall.query(database).findOne({ id: callId, vaultEntryId, ownerId })
        : undefined
      assertThat(call, 'NOT_FOUND', { message: 'There is no direct tool call with this id for this site.' })
      return call
    },

    /** Closes direct calls whose process ended before it recorded their outcome. */
    async closeAbandoned(): Promise<void> {
      const text = 'The process that made this call ended before its outcome was recorded.'
      const now = clock.now()
      const before = new Date(now.getTime() - longestMs - 60_000)
      const closed = await closeDirectCalls(database, { result: text, now, before })
      for (const { effect, status: outcome } of closed) metrics.toolCalls.inc({ effect, outcome })
    },
  }
}

/**
 * Ends direct calls that began before then and have no outcome, and returns them. A call that may have taken effect is
 * `unknown`, and keeps its key. `isLost`: the record of their attempts may be out of date.
 */
export async function closeDirectCalls(
  db: Database | Transaction,
  { isLost = false, ...ending }: { result: string; now: Date; before: Date; isLost?: boolean },
): Promise<Pick<DirectToolCall, 'effect' | 'status'>[]> {
  const { rows } = await db.raw<{ rows: Pick<DirectToolCall, 'effect' | 'status'>[] }>(closeStatement, {
    ...ending,
    isLost,
  })
  return rows
}

const stillWorks =
  'The site still works on the call, and nobody waits for its end. Check the outcome at the site before you retry.'
const noLonger =
  'The site works on the call, and can no longer be asked about it. Check the outcome at the site before you retry.'

const closeStatement = `
  update direct_tool_calls
     set result = :result, ended_at = :now,
         status = (case when did_nothing then 'failed' else 'unknown' end)::tool_call_status,
         idempotency_key = case when did_nothing then null else idempotency_key end
    from (select id as found, effect = 'read' or (not :isLost and refused_attempts = attempts) as did_nothing from direct_tool_calls
           where status = 'started' and started_at < :before) abandoned
   where id = found and status = 'started'
  returning effect, status`

const isFormer = `
  not exists (select from vault_entries e
               where e.id = direct_tool_calls.vault_entry_id and e.owner_id = direct_tool_calls.owner_id)`
