import type { Agents } from '../../agents/agents.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/database.ts'
import { CodedError } from '../../errors.ts'
import { mayRepeat } from '../../loop/call-endings.ts'
import type { Loop } from '../../loop/loop.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { CallLedger } from '../../loop/perform-call.ts'
import { noteInLog } from '../../logger.ts'
import type { CallOutcome } from '../../tools/call-outcome.ts'
import type { Unsent } from '../../tools/sender.ts'
import { sendingOf } from '../../tools/sending.ts'
import { idempotencyKeyOf, type ToolCall } from '../../tools/tool-call.ts'
import { createRunLedger, maxRefused } from './call-ledger.ts'
import type { RunRef } from '../record.ts'

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
  loop: Pick<Loop, 'secrets' | 'performCall' | 'settleCalls'>
  metrics: Pick<Metrics, 'toolCalls'>
  approvals: Approvals
}) {
  const { agents, loop } = context
  const runLedger = createRunLedger(context)

  function ledgerOf(ref: RunRef, callId: string, signal: AbortSignal): CallLedger<ToolCall> {
    const ledger = runLedger(ref)
    return {
      ...ledger,
      job: ledger,
      async look() {
        const found = await ledger.look(callId)
        if (!found) return undefined
        const { run, call, answer } = found
        const { agentId, ownerId } = run
        noteInLog({ agentId, step: call.step })
        const secrets = [...loop.secrets, ...(await agents.knownSecrets(agentId, ownerId))]
        const whose = { ownerId, share: `${ownerId}/${agentId}`, secrets, answer, signal }
        const sending = sendingOf(call, { ...whose, idempotencyKey: idempotencyKeyOf(call), mayWait: true })
        return { call, sending }
      },
      unsent: (call, sent) =>
        sent.kind === 'unsent' ? recordUnsent(ledger, call, sent.outcome) : ledger.postpone(call, waitOf(sent)),
    }
  }

  async function recordUnsent(ledger: RunLedger, call: ToolCall, outcome: CallOutcome): Promise<void> {
    const counted = countedUnsent(call, outcome)
    const { attempts } = counted
    if (!mayRepeat(call, outcome, { maxRefused, attempts })) return ledger.finish(call, outcome, counted)
    await ledger.countUnsent(call, outcome)
    throw new CodedError('TOOL_EXECUTION_ERROR', { retryable: true })
  }

  return {
    /**
     * Makes one tool call of a run, or repeats it where that is safe, and records its outcome, or what it waits for.
     * Throws TOOL_EXECUTION_ERROR while another attempt makes sense, StaleEpochError, or the signal's reason if
     * aborted.
     */
    async perform(ref: RunRef, callId: string, signal: AbortSignal): Promise<void> {
      await loop.performCall(ledgerOf(ref, callId, signal), signal)
    },
  }
}

type RunLedger = ReturnType<ReturnType<typeof createRunLedger>>

/** What a call that could not be sent waits for. */
const waitOf = (sent: Exclude<Unsent, { kind: 'unsent' }>) =>
  sent.kind === 'held'
    ? { waitCause: 'rate_limit' as const, notBefore: sent.until, refusedGeneration: null }
    : { waitCause: 'credential' as const, notBefore: null, refusedGeneration: null }

/** Nothing was sent: it counts as an attempt only if another one could succeed. Earlier attempts stay in doubt. */
const countedUnsent = (call: ToolCall, outcome: CallOutcome) => ({
  attempts: call.attempts + (outcome.kind === 'unavailable' && outcome.permanent ? 0 : 1),
  inDoubt: call.inDoubt || call.status === 'started',
})
