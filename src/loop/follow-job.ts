import { retryWhileUnavailable } from '../database/database.ts'
import type { CallOutcome } from '../tools/call-outcome.ts'
import type { Sender, Sent, Unsent } from '../tools/sender.ts'
import type { Sending } from '../tools/sending.ts'
import type { Attempted } from './call-endings.ts'
import { inDoubt } from '../tools/job.ts'
import type { Accepted, Asking } from './call-ledger.ts'

/** Keeps the record of what a site works on. Both return the outcome of the call if its end is not waited for. */
export interface JobLedger<Call extends Attempted> {
  /** Records that the site works on the call, and when it is asked next. */
  accept: (call: Call, outcome: Accepted) => Promise<CallOutcome | undefined>
  /** Records that the site did not answer. `until`: it must not be asked before. */
  miss: (call: Call, until?: Date) => Promise<CallOutcome | undefined>
  /** Records that the site refused the credential of the request. */
  refuseAsking: (call: Call, generation: number) => Promise<Call>
}

/** The part of the record of a call that is written here; the rest is the caller's. */
interface FollowingLedger<Call extends Attempted> {
  job: JobLedger<Call>
  ask?: (call: Call, outcome: Asking) => Promise<CallOutcome | undefined>
  finish: (call: Call, outcome: CallOutcome) => Promise<void>
  unsent: (call: Call, sent: Unsent) => Promise<void>
}

/** A call that its site works on, or has done so. */
interface Followed<Call extends Attempted> {
  ledger: FollowingLedger<Call>
  call: Call
  sending: Sending
}

/**
 * Asks a site once what has become of a call that it works on, and records the answer. The request begins nothing, so it
 * takes no slot of the host and is no attempt: after a crash it is made again.
 */
export function createFollowJob({ sender }: { sender: Pick<Sender, 'ask' | 'abandon'> }) {
  /** Nobody waits for the end of the call any longer. */
  async function giveUp<Call extends Attempted>({ ledger, call, sending }: Followed<Call>, outcome: CallOutcome) {
    await ledger.finish(call, outcome)
    await sender.abandon(sending)
  }

  async function hear<Call extends Attempted>(followed: Followed<Call>, outcome: CallOutcome): Promise<void> {
    const { ledger, call } = followed
    if (outcome.kind === 'accepted') {
      const over = await ledger.job.accept(call, outcome)
      return over && giveUp(followed, over)
    }
    if (outcome.kind === 'asks' && ledger.ask) {
      const refusal = await ledger.ask(call, outcome)
      return refusal && giveUp(followed, refusal)
    }
    if (isAnswer(outcome)) return ledger.finish(call, outcome)
    const over = await ledger.job.miss(call)
    return over && giveUp(followed, over)
  }

  async function record<Call extends Attempted>(followed: Followed<Call>, sent: Sent): Promise<void> {
    const { ledger, call } = followed
    if (sent.kind === 'answered' || sent.kind === 'again') return hear(followed, sent.outcome)
    if (sent.kind === 'parked') return ledger.unsent(call, sent)
    if (sent.kind === 'dropped') return undefined
    if (sent.kind === 'unsent' && sent.outcome.kind === 'unavailable' && sent.outcome.permanent)
      return ledger.finish(call, inDoubt(sent.outcome.text))
    const over = await ledger.job.miss(call, sent.kind === 'held' ? sent.until : undefined)
    return over && giveUp(followed, over)
  }

  return async <Call extends Attempted>(followed: Followed<Call>, signal?: AbortSignal): Promise<Sent> => {
    const { ledger, sending } = followed
    let { call } = followed
    const sent = await sender.ask(
      { ...sending, mayAsk: ledger.ask !== undefined, mayLast: true },
      async (generation) => {
        call = await ledger.job.refuseAsking(call, generation)
      },
    )
    await retryWhileUnavailable(() => record({ ledger, call, sending }, sent), signal)
    return sent
  }
}

/** Whether the site has said what became of the call. Refusals and failures of the request itself say nothing. */
const isAnswer = (outcome: CallOutcome): boolean =>
  outcome.kind === 'succeeded' ||
  outcome.kind === 'unread' ||
  outcome.kind === 'rejected' ||
  (outcome.kind === 'broken' && outcome.isJobOver === true)
