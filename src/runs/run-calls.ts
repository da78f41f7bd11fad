import type { Clock } from '../clock.ts'
import { persist, type Database, type Transaction } from '../database.ts'
import { CodedError } from '../errors.ts'
import { isFinal, statusAfter, ToolCall } from '../tools/tool-call.ts'
import type { CallOutcome, SiteCall } from '../tools/call-site.ts'
import type { Vault } from '../vault/vault.ts'
import { lockRun, type RunRef } from './record.ts'
import { append } from './timeline.ts'

/** How often a call is sent that the site declares harmless to repeat. */
const maxAttempts = 3

const inDoubt =
  'The attempt before was sent, but its worker stopped before the answer was recorded. The tool is not declared harmless to repeat, so it was not sent again.'
const repeated =
  'The attempt before came to no recorded end: its worker failed or was stopped. The tool is declared harmless to repeat, so it is sent again.'
const givenUp = 'Every attempt ended without a usable answer.'

/**
 * The tool calls of runs. A call's row says `started` before the first byte leaves, so after a crash it is known that
 * the site may have acted: then only tools whose manifest declares them `read` or `idempotent` are sent again, and of
 * every other the model is told that the outcome is unknown (decisions, "Tool effects").
 */
export function createRunCalls(context: {
  database: Database
  clock: Clock
  vault: Vault
  callSite: (call: SiteCall) => Promise<CallOutcome>
}) {
  const { database, clock, vault, callSite } = context

  /** Claims the next attempt of the call, or settles it; undefined when there is nothing to send. */
  function begin(ref: RunRef, callId: string): Promise<ToolCall | undefined> {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      const call = await ToolCall.query(trx).findOne({ id: callId, runId: run.id }).forUpdate().throwIfNotFound()
      if (isFinal(call.status) || run.cancelRequestedAt) return undefined
      const now = clock.now()
      const note = call.status === 'started' && call.effect === 'once' ? inDoubt : givenUp
      if (call.status === 'started' && (call.effect === 'once' || call.attempts >= maxAttempts)) {
        const status = call.effect === 'read' ? 'failed' : 'unknown'
        await ToolCall.query(trx)
          .findById(callId)
          .patch({ status, result: { text: note }, endedAt: now })
        const data = { callId, attempts: call.attempts, status, note }
        await append(trx, run.id, now, [{ kind: 'tool.finished', data }])
        return undefined
      }
      const attempt = call.attempts + 1
      const changes = { status: 'started' as const, attempts: attempt, epoch: ref.epoch, startedAt: now }
      await ToolCall.query(trx).findById(callId).patch(changes)
      const lost = call.status === 'started' && !(await failedBefore(trx, call))
      const data = { callId, attempt, ...(lost && { note: repeated }) }
      await append(trx, run.id, now, [{ kind: 'tool.started', data }])
      return Object.assign(call, changes)
    })
  }

  async function send(call: ToolCall, signal: AbortSignal): Promise<CallOutcome> {
    const connection = await vault.connection(call.ownerId, call.vaultEntryId ?? '')
    if (!connection) {
      const text = 'The site is no longer connected: its vault entry was deleted.'
      return { kind: 'unavailable', httpStatus: null, certain: true, text }
    }
    const { idempotencyKey, tool } = call
    return callSite({ ...connection, tool: tool ?? '', arguments: call.arguments.text, idempotencyKey, signal })
  }

  function finish(ref: RunRef, call: ToolCall, outcome: CallOutcome): Promise<void> {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      const now = clock.now()
      const status = statusAfter(call.effect, outcome)
      const changed = await ToolCall.query(trx)
        .where({ id: call.id, status: 'started', attempts: call.attempts })
        .patch({ status, httpStatus: outcome.httpStatus, result: { text: outcome.text }, endedAt: now })
      // Nobody but this attempt may record its outcome; if it was settled meanwhile, that stands.
      if (changed === 0) return
      const data = { callId: call.id, attempts: call.attempts, status }
      await append(trx, run.id, now, [{ kind: 'tool.finished', data }])
    })
  }

  function noteFailure(ref: RunRef, call: ToolCall, outcome: CallOutcome): Promise<void> {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Nothing reached the site: the call stands as if it had never been begun, whatever its effect.
      const status = outcome.kind === 'unavailable' && outcome.certain ? 'planned' : 'started'
      const changed = await ToolCall.query(trx)
        .where({ id: call.id, status: 'started', attempts: call.attempts })
        .patch({ status })
      if (changed === 0) return
      const data = { callId: call.id, attempt: call.attempts, message: outcome.text, willRetry: true as const }
      await append(trx, run.id, clock.now(), [{ kind: 'tool.failed', data }])
    })
  }

  return {
    /**
     * Makes one tool call of a run, or repeats it where that is harmless, and records what came of it. Throws
     * TOOL_EXECUTION_ERROR while another attempt makes sense, StaleEpochError, or the signal's reason when aborted.
     */
    async performCall(ref: RunRef, callId: string, signal: AbortSignal): Promise<void> {
      const call = await begin(ref, callId)
      if (!call) return
      const outcome = await send(call, signal)
      if (!mayRepeat(call, outcome)) return persist(() => finish(ref, call, outcome), signal)
      await persist(() => noteFailure(ref, call, outcome), signal)
      throw new CodedError('TOOL_EXECUTION_ERROR', { retryable: true })
    },
  }
}

/** Whether the call's last attempt is known to have failed, and was not merely lost. */
async function failedBefore(trx: Transaction, { id, runId, attempts }: ToolCall): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `select 1 from run_events where run_id = ? and kind = 'tool.failed'
        and data->>'callId' = ? and (data->>'attempt')::int = ?`,
    [runId, id, attempts],
  )
  return rows.length > 0
}

/** Whether the attempt failed in a way after which sending the call again can help and cannot harm. */
function mayRepeat({ effect, attempts }: ToolCall, outcome: CallOutcome): boolean {
  if (attempts >= maxAttempts) return false
  if (outcome.kind === 'broken') return effect !== 'once' && (outcome.httpStatus ?? 0) >= 500
  return outcome.kind === 'unavailable' && (outcome.certain || effect !== 'once')
}
