import { retryWhileUnavailable } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Connection, ConnectionState } from '../vault/connections.ts'
import type { Vault } from '../vault/vault.ts'
import type { CallOutcome, SiteCall } from './call-site.ts'
import type { OutgoingLimit } from './outgoing-limit.ts'

/** How long a direct call waits for Postgres to take what a 401 or 429 means. */
const judgeMs = 20_000

/** A call to be sent now, if its site may be called now. */
export interface Sending {
  callId: string
  ownerId: string
  entryId: string
  tool: string
  /** The JSON text of the arguments object. */
  arguments: string
  idempotencyKey: string
  /** Who is to have a fair share of what a host takes: an agent, or the owner of direct calls. */
  share: string
  /** Whether the call may take a place in the queue for its host. */
  mayWait: boolean
  /** The generation of the credential under which the site has answered 401 to it already. */
  refusedGeneration: number | null
  signal?: AbortSignal | undefined
}

/** What the ledger does meanwhile. */
export interface Ledger {
  /** Writes that the call is sent now; false if it is not to be sent any more. */
  begin: () => Promise<boolean>
  /** Writes that the site has answered, and done nothing (401, 429): before anything else is done about it. */
  undone: (outcome: CallOutcome, generation: number) => Promise<void>
  /** The credential was refreshed for the call. */
  refreshed: () => Promise<void>
}

/** What came of it. `held` and `parked` calls were not sent, or the ledger knows that the site did nothing. */
export type Sent =
  | { kind: 'answered'; outcome: CallOutcome }
  /** The site answered 401, and there is a newer credential now: the call can be sent again at once. */
  | { kind: 'again'; outcome: CallOutcome; refreshed: boolean }
  | { kind: 'held'; until: Date; why: 'limit' | 'held'; host: string; outcome?: CallOutcome }
  | { kind: 'parked'; message: string }
  /** There is no way to the site just now, or there never will be; nothing was begun. */
  | { kind: 'unsent'; outcome: CallOutcome }
  | { kind: 'dropped' }

/**
 * Sends tool calls of runs and direct ones alike: opens the connection, keeps to the host's limit, and knows what 401
 * and 429 mean for everybody. What it does is written into the ledger before the first byte leaves.
 */
export function createSender(context: {
  logger: Logger
  vault: Vault
  outgoing: OutgoingLimit
  callSite: (call: SiteCall) => Promise<CallOutcome>
}) {
  const { logger, vault, outgoing, callSite } = context

  async function throughGate(sending: Sending, connection: Connection, ledger: Ledger): Promise<Sent> {
    const { host } = new URL(connection.serverUrl)
    const { share, callId, mayWait } = sending
    const slot = await outgoing.take({ host, share, callId, mayWait })
    if (slot.kind === 'later') return { kind: 'held', until: slot.notBefore, why: slot.why, host }
    if (slot.kind === 'suspended') return unsent('The operator of this platform has suspended calls to the site.', true)
    let begun = false
    try {
      begun = await ledger.begin()
      if (!begun) return { kind: 'dropped' }
      const outcome = await callSite({ ...sending, ...connection })
      // What the site said is known here only: while Postgres is away, it is kept until it can be acted upon.
      const patience = sending.signal ?? AbortSignal.timeout(judgeMs)
      if (!isHarmless(outcome)) return { kind: 'answered', outcome }
      await retryWhileUnavailable(() => ledger.undone(outcome, connection.generation), patience)
      return await retryWhileUnavailable(
        () => untilAborted(judge(sending, connection, host, outcome), sending.signal),
        patience,
      )
    } finally {
      await leave(slot.slotId, begun)
    }
  }

  /** A slot that is not given back is free by itself some time later; that must not cost the outcome of the call. */
  const leave = (slotId: string, wasUsed: boolean): Promise<void> =>
    (wasUsed ? outgoing.release(slotId) : outgoing.giveBack(slotId)).catch((error: unknown) =>
      logger.warn({ err: error }, 'a slot was not given back, and is free by itself later'),
    )

  async function judge(sending: Sending, connection: Connection, host: string, outcome: Harmless): Promise<Sent> {
    if (outcome.httpStatus === 429) {
      const until = await outgoing.hold(host, outcome.retryAfter, 'The site answered 429.')
      return { kind: 'held', until, why: 'held', host, outcome }
    }
    // Under a credential that is newer than the one that was refused, no refresh will help.
    const again = sending.refusedGeneration !== null && sending.refusedGeneration < connection.generation
    const state = await vault.connections.refused(sending.ownerId, connection, again)
    return afterRefusal(sending, state, outcome)
  }

  return {
    /** Throws the signal's reason when aborted, and what the ledger throws; never for what a site does. */
    async send(sending: Sending, ledger: Ledger): Promise<Sent> {
      const state = await untilAborted(vault.connections.open(sending.ownerId, sending.entryId), sending.signal)
      if (state.kind === 'gone') return unsent(gone, true)
      if (state.kind === 'dead') return { kind: 'parked', message: state.message }
      if (state.kind === 'unavailable') return unreachable(sending, state)
      if (state.refreshed) await ledger.refreshed()
      if (!state.connection.tools.includes(sending.tool)) return unsent(notOffered, true)
      return throughGate(sending, state.connection, ledger)
    },
  }
}

export type Sender = ReturnType<typeof createSender>

type Harmless = Extract<CallOutcome, { kind: 'refused' }>

/** Whether the site has said, by 401 or 429, that it did nothing, and may do it yet. 403 is its last word. */
const isHarmless = (outcome: CallOutcome): outcome is Harmless =>
  outcome.kind === 'refused' && outcome.httpStatus !== 403

/**
 * A refresh goes on although the call is not waited for any more: its tokens must be stored, and a cancelled run must
 * end all the same.
 */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

const notOffered =
  'The tool cannot be called any more: the site does not offer it, or its owner has not granted what it needs.'
const gone = 'The site is no longer connected: its vault entry was deleted.'

function afterRefusal(sending: Sending, state: ConnectionState, outcome: CallOutcome): Sent {
  if (state.kind === 'ready') return { kind: 'again', outcome, refreshed: state.refreshed }
  if (state.kind === 'dead') return { kind: 'parked', message: state.message }
  if (state.kind === 'gone') return unsent(gone, true)
  return unreachable(sending, state)
}

const unsent = (text: string, hopeless: boolean): Sent => ({
  kind: 'unsent',
  outcome: { kind: 'unavailable', httpStatus: null, certain: true, text, ...(hopeless && { hopeless }) },
})

/** Where the site has said when to ask for tokens again, a call that may wait does so. */
function unreachable(sending: Sending, { message, retryAt }: Extract<ConnectionState, { kind: 'unavailable' }>): Sent {
  if (!retryAt || !sending.mayWait) return unsent(message, false)
  return { kind: 'held', until: retryAt, why: 'held', host: '' }
}
