import { retryWhileUnavailable } from '../database/database.ts'
import { CodedError } from '../errors.ts'
import type { CallOutcome } from '../tools/call-outcome.ts'
import type { Sender, Sent, Unsent } from '../tools/sender.ts'
import type { Sending } from '../tools/sending.ts'
import { rejected, type Asking } from './call-ledger.ts'
import { mayRepeat, type Attempted } from './call-endings.ts'
import { createFollowJob, type JobLedger } from './follow-job.ts'
import { tracedCall } from './traced-call.ts'

/**
 * Keeps the record of one call. Each write is about the call as it was seen: what somebody else has recorded meanwhile
 * stands. A write whose confirmation was lost is made again.
 */
export interface CallLedger<Call extends Attempted> {
  /** How often a site may refuse the call (401 or 429, so it did nothing) before that is its answer. */
  maxRefused: number
  /** The call, if there is anything to send. One that must not be sent, or not again, is ended. */
  look: () => Promise<{ call: Call; sending: Sending } | undefined>
  /** Records that the call is sent now; undefined if it must not be sent any more. */
  begin: (call: Call) => Promise<Call | undefined>
  /** Records that the site refused the attempt, before the consequences. */
  refuse: (call: Call, outcome: CallOutcome, generation: number) => Promise<Call>
  /** Records that a credential was refreshed for the call. */
  refreshed: (call: Call) => Promise<void>
  /**
   * Records what the site asks a person, so that the call waits for the answer. Returns the outcome of the call if nobody
   * can be asked; absent if that is always so.
   */
  ask?: (call: Call, outcome: Asking) => Promise<CallOutcome | undefined>
  /** Keeps what the site works on after its response; absent if nobody can wait for that. */
  job?: JobLedger<Call>
  /** Records the outcome of the call. */
  finish: (call: Call, outcome: CallOutcome) => Promise<void>
  /** Records that the attempt failed and that there will be another; absent if there are none. */
  fail?: (call: Call, outcome: CallOutcome) => Promise<void>
  /** Ends a call that was not sent, or records what it waits for. */
  unsent: (call: Call, sent: Unsent) => Promise<void>
}

/**
 * Makes tool calls: of runs, of answers of chats, and direct ones. The ledger says that a call was started before the
 * first byte is sent, so after a crash it is known that the site may have acted (docs/understand/effects.md).
 */
export function createPerformCall({ sender }: { sender: Pick<Sender, 'send' | 'ask' | 'abandon'> }) {
  const followJob = createFollowJob({ sender })

  async function attempt<Call extends Attempted>(ledger: CallLedger<Call>, seen: Call, sending: Sending) {
    let call = seen
    const asking = { ...sending, mayAsk: ledger.ask !== undefined, mayLast: ledger.job !== undefined }
    const sent = await sender.send(asking, {
      async begin() {
        const begun = await ledger.begin(seen)
        call = begun ?? seen
        return begun !== undefined
      },
      async onRefused(outcome, generation) {
        call = await ledger.refuse(call, outcome, generation)
      },
      onRefreshed: () => ledger.refreshed(call),
    })
    return { call, sent: ledger.ask ? sent : withoutQuestion(sent) }
  }

  async function record<Call extends Attempted>(
    ledger: CallLedger<Call>,
    { call, sending, sent }: Made<Call>,
  ): Promise<void> {
    if (sent.kind === 'dropped') return
    if (sent.kind === 'answered') return recordAnswer(ledger, { call, sending }, sent.outcome)
    if (sent.kind === 'again') return ledger.finish(call, sent.outcome)
    const refusal = sent.kind === 'held' && call.refusedAttempts > ledger.maxRefused ? sent.outcome : undefined
    await (refusal ? ledger.finish(call, refusal) : ledger.unsent(call, sent))
  }

  async function recordAnswer<Call extends Attempted>(
    ledger: CallLedger<Call>,
    { call, sending }: Omit<Made<Call>, 'sent'>,
    outcome: CallOutcome,
  ) {
    if (outcome.kind === 'asks' && ledger.ask) {
      const refusal = await ledger.ask(call, outcome)
      return refusal && ledger.finish(call, refusal)
    }
    if (outcome.kind === 'accepted' && ledger.job) {
      const over = await ledger.job.accept(call, outcome)
      if (!over) return undefined
      await ledger.finish(call, over)
      return sender.abandon({ ...sending, job: outcome.job })
    }
    if (!ledger.fail || !mayRepeat(call, outcome, ledger)) return ledger.finish(call, outcome)
    await ledger.fail(call, outcome)
    throw new CodedError('TOOL_EXECUTION_ERROR', { retryable: true })
  }

  /** Makes one attempt. `goesOn`: the site wants a newer credential, and there is one. */
  async function makeOnce<Call extends Attempted>(
    ledger: CallLedger<Call>,
    found: { call: Call; sending: Sending },
    signal: AbortSignal | undefined,
  ): Promise<{ sent: Sent; goesOn: boolean }> {
    if (found.sending.job !== undefined && ledger.job)
      return { sent: await followJob({ ledger: { ...ledger, job: ledger.job }, ...found }, signal), goesOn: false }
    const { call, sent } = await attempt(ledger, found.call, found.sending)
    const goesOn = sent.kind === 'again' && call.refusedAttempts <= ledger.maxRefused
    if (!goesOn) await retryWhileUnavailable(() => record(ledger, { call, sending: found.sending, sent }), signal)
    else if (sent.refreshed) await retryWhileUnavailable(() => ledger.refreshed(call), signal)
    return { sent, goesOn }
  }

  /**
   * Makes a call, and makes it again at once if its site wants a newer credential; or asks once what has become of one that
   * its site works on. Records its outcome, or what it waits for. Returns what became of the last attempt; undefined if there was nothing to send. Throws TOOL_EXECUTION_ERROR
   * while another attempt makes sense, errors of the ledger, or the reason of the sending's signal.
   *
   * @param signal ends the tries to record what only this process knows; 20 seconds by default
   */
  return async <Call extends Attempted>(ledger: CallLedger<Call>, signal?: AbortSignal): Promise<Sent | undefined> => {
    for (;;) {
      const found = await ledger.look()
      if (!found) return undefined
      const made = await tracedCall(found.sending, () => makeOnce(ledger, found, signal))
      if (!made.goesOn) return made.sent
    }
  }
}

/** A call, what was sent of it, and what became of that. */
interface Made<Call extends Attempted> {
  call: Call
  sending: Sending
  sent: Sent
}

const nobodyToAsk =
  'The tool asks for input in the middle of the call. Such tools can be called only in runs and chats.'

const withoutQuestion = (sent: Sent): Sent =>
  sent.kind === 'answered' && sent.outcome.kind === 'asks'
    ? { ...sent, outcome: rejected(sent.outcome.httpStatus, nobodyToAsk) }
    : sent

export type PerformCall = ReturnType<typeof createPerformCall>
