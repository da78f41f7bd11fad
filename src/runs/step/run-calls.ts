import type { Agents } from '../../agents/agents.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { retryWhileUnavailable, type Database } from '../../database/database.ts'
import { CodedError } from '../../errors.ts'
import { maxAttempts } from '../../loop/call-endings.ts'
import { noteInLog } from '../../logger.ts'
import type { Models } from '../../models/models.ts'
import type { CallOutcome } from '../../tools/call-site.ts'
import type { Sender, Sending, Sent } from '../../tools/sender.ts'
import { idempotencyKeyOf, type ToolCall } from '../../tools/tool-call.ts'
import { createCallLedger, maxRefused, type Counted } from './call-ledger.ts'
import type { RunRef } from '../record.ts'
import type { Run } from '../run.ts'

/**
 * The tool calls of runs. A call's row says `started` before the first byte is sent, so after a crash it is known that
 * the site may have acted. Then only calls to tools declared `read` or `idempotent` are sent again; for any other, the
 * model learns that the outcome is unknown (docs/understand/effects.md). A call that cannot be sent now stays
 * planned and says what it waits for; the run's next move follows from that.
 */
export function createRunCalls(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  agents: Pick<Agents, 'knownSecrets'>
  models: Pick<Models, 'secrets'>
  sender: Sender
  approvals: Approvals
}) {
  const { agents, models, sender } = context
  const ledger = createCallLedger(context)

  /** Sends the call once. True if it must be sent again at once. */
  async function attempt(ref: RunRef, run: Run, call: ToolCall, signal: AbortSignal): Promise<boolean> {
    let current = call
    const secrets = [...models.secrets, ...(await agents.knownSecrets(run.agentId, run.ownerId))]
    const sent = await sender.send(toSending(run, call, secrets, signal), {
      async begin() {
        const begun = await ledger.begin(ref, call)
        current = begun ?? call
        return begun !== undefined
      },
      async onRefused(outcome, generation) {
        current = await ledger.recordRefusal(ref, current, outcome, generation)
      },
      onRefreshed: () => ledger.noteRefresh(ref, call),
    })
    if (sent.kind === 'dropped') return false
    if (sent.kind === 'answered') return recordAnswer(ref, current, sent.outcome, signal)
    if (sent.kind === 'unsent') return recordUnsent(ref, current, sent.outcome, signal)
    if (sent.kind !== 'parked' && sent.outcome && current.refusedAttempts > maxRefused) {
      return finish(ref, current, sent.outcome, signal)
    }
    if (sent.kind !== 'again') await retryWhileUnavailable(() => ledger.postpone(ref, current, waitOf(sent)), signal)
    else if (sent.refreshed) await retryWhileUnavailable(() => ledger.noteRefresh(ref, current), signal)
    return sent.kind === 'again'
  }

  async function finish(
    ref: RunRef,
    call: ToolCall,
    outcome: CallOutcome,
    signal: AbortSignal,
    counted?: Counted,
  ): Promise<false> {
    await retryWhileUnavailable(() => ledger.finish(ref, call, outcome, counted), signal)
    return false
  }

  async function recordAnswer(ref: RunRef, call: ToolCall, outcome: CallOutcome, signal: AbortSignal): Promise<false> {
    if (!mayRepeat(call, outcome)) return finish(ref, call, outcome, signal)
    await retryWhileUnavailable(() => ledger.noteFailure(ref, call, outcome), signal)
    throw new CodedError('TOOL_EXECUTION_ERROR', { retryable: true })
  }

  async function recordUnsent(ref: RunRef, call: ToolCall, outcome: CallOutcome, signal: AbortSignal): Promise<false> {
    const counted = countedUnsent(call, outcome)
    if (!mayRepeat(call, outcome, counted.attempts)) return finish(ref, call, outcome, signal, counted)
    await retryWhileUnavailable(() => ledger.countUnsent(ref, call, outcome), signal)
    throw new CodedError('TOOL_EXECUTION_ERROR', { retryable: true })
  }

  return {
    /**
     * Makes one tool call of a run, or repeats it where that is safe, and records its outcome, or what it waits for.
     * Throws TOOL_EXECUTION_ERROR while another attempt makes sense, StaleEpochError, or the signal's reason if
     * aborted.
     */
    async perform(ref: RunRef, callId: string, signal: AbortSignal): Promise<void> {
      for (;;) {
        const found = await ledger.look(ref, callId)
        if (!found) return
        noteInLog({ agentId: found.run.agentId, step: found.call.step })
        if (!(await attempt(ref, found.run, found.call, signal))) return
      }
    },
  }
}

/** What a call that could not be sent waits for. */
const waitOf = (sent: Extract<Sent, { kind: 'held' | 'parked' }>) =>
  sent.kind === 'held'
    ? { waitCause: 'rate_limit' as const, notBefore: sent.until, refusedGeneration: null }
    : { waitCause: 'credential' as const, notBefore: null, refusedGeneration: null }

const toSending = ({ ownerId, agentId }: Run, call: ToolCall, secrets: string[], signal: AbortSignal): Sending => ({
  callId: call.id,
  ownerId,
  entryId: call.vaultEntryId ?? '',
  tool: call.tool ?? '',
  arguments: call.arguments,
  idempotencyKey: idempotencyKeyOf(call),
  share: `${ownerId}/${agentId}`,
  mayWait: true,
  refusedGeneration: call.refusedGeneration,
  secrets,
  signal,
})

/** Nothing was sent: it counts as an attempt only if another one could succeed. Earlier attempts stay in doubt. */
const countedUnsent = (call: ToolCall, outcome: CallOutcome): Counted => ({
  attempts: call.attempts + (outcome.kind === 'unavailable' && outcome.permanent ? 0 : 1),
  inDoubt: call.inDoubt || call.status === 'started',
})

/** Whether, after this failure, sending the call again can help and is safe. */
function mayRepeat(call: ToolCall, outcome: CallOutcome, attempts = call.attempts): boolean {
  const { effect, refusedAttempts } = call
  if (attempts - refusedAttempts >= maxAttempts || refusedAttempts > maxRefused) return false
  if (outcome.kind === 'broken') return effect !== 'once' && (outcome.httpStatus ?? 0) >= 500
  return outcome.kind === 'unavailable' && !outcome.permanent && (outcome.certain || effect !== 'once')
}
