import { setTimeout as delay } from 'node:timers/promises'
import { howToGetMore } from '../billing/allowances.ts'
import { retryWhileUnavailable } from '../database/database.ts'
import type { StoredBytes } from '../billing/stored-bytes.ts'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { unlessStoodStill } from '../safe-fetch/standstill.ts'
import type { Dialect } from '../sites/dialects/dialect.ts'
import { keepContents, tellingSites } from '../tracing/span.ts'
import type { Connection, ConnectionState } from '../vault/connections.ts'
import type { Vault } from '../vault/vault.ts'
import type { CallOutcome } from './call-outcome.ts'
import { limitedHost } from './limited-host.ts'
import type { OutgoingLimit } from './outgoing-limit.ts'
import type { Sending } from './sending.ts'
import { contentsOf } from './traced-contents.ts'

/** How the caller records the progress of a call. */
export interface Ledger {
  /** Records that the call is sent now; false if it must not be sent. */
  begin: () => Promise<boolean>
  /** Records a refused attempt (401, 429) before its consequences. */
  onRefused: (outcome: CallOutcome, generation: number) => Promise<void>
  onRefreshed: () => Promise<void>
}

/** The outcome. `held` and `parked` calls were not sent, or the ledger knows that the site did nothing. */
export type Sent =
  | { kind: 'answered'; outcome: CallOutcome }
  /** The site answered 401, and a newer credential exists: the call can be sent again immediately. */
  | { kind: 'again'; outcome: CallOutcome; refreshed: boolean }
  | { kind: 'held'; until: Date; inMs?: number; why: 'limit' | 'held'; host: string; outcome?: CallOutcome }
  | { kind: 'parked'; message: string }
  /** The site is unreachable, now or permanently, or did not grant the tool's scope. Nothing was started. */
  | { kind: 'unsent'; outcome: CallOutcome; notGranted?: true }
  | { kind: 'dropped' }

/** A call that cannot be sent now, or not at all. Either nothing was sent, or the site certainly did nothing. */
export type Unsent = Extract<Sent, { kind: 'held' | 'parked' | 'unsent' }>

/**
 * Sends tool calls of runs, of chats and direct ones: opens the connection, keeps the host limit, and handles 401 and
 * 429. It records each step in the ledger before the first byte is sent.
 */
export function createSender(context: {
  config: Pick<Config, 'sites'>
  logger: Logger
  vault: Vault
  outgoing: OutgoingLimit
  dialect: Pick<Dialect, 'call' | 'abandon'>
  storedBytes: Pick<StoredBytes, 'note'>
  metrics: Pick<Metrics, 'toolSeconds'>
}) {
  const { config, logger, vault, outgoing, dialect, storedBytes, metrics } = context

  async function call(sending: Sending, connection: Connection): Promise<CallOutcome> {
    const outcome = await tellingSites(connection.traceContext, () => dialect.call(requestOf(sending, connection)))
    const secrets = [connection.token, ...(sending.secrets ?? [])]
    await keepContents(() => contentsOf(sending.arguments, outcome, secrets))
    return outcome
  }

  async function sendInSlot(sending: Sending, connection: Connection, ledger: Ledger): Promise<Sent> {
    const host = limitedHost(connection.serverUrl, config.sites)
    const { share, callId, mayWait, patienceMs } = sending
    const slot = await outgoing.take({ host, share, callId, mayWait, patienceMs })
    if (slot.kind === 'later') return { kind: 'held', until: slot.notBefore, inMs: slot.inMs, why: slot.why, host }
    if (slot.kind === 'suspended') return unsent('The platform operator has suspended calls to this site.', true)
    let begun = false
    const since = performance.now()
    try {
      begun = await ledger.begin()
      if (!begun) return { kind: 'dropped' }
      const stop = metrics.toolSeconds.startTimer()
      // Once another worker has taken the call over, its run may have continued without it.
      const outcome = await unlessStoodStill(since, () => call(sending, connection)).finally(stop)
      await learnFrom(outcome, connection, host)
      storedBytes.note(sending.ownerId, storedOf(outcome) + Buffer.byteLength(sending.arguments))
      // Only this process knows the response. While Postgres is unreachable, it retries until the response is recorded.
      if (!isRefusedAttempt(outcome)) return { kind: 'answered', outcome }
      await retryWhileUnavailable(() => ledger.onRefused(outcome, connection.generation), sending.signal)
      return await retryWhileUnavailable(
        () => untilAborted(handleRefusal(sending, connection, host, outcome), sending.signal),
        sending.signal,
      )
    } finally {
      await releaseSlot(slot.slotId, begun)
    }
  }

  /**
   * Holds a site that states how long it is away, and notes an accepted token, missing scopes and a stale list. No failure
   * may cost the call's outcome.
   */
  async function learnFrom(outcome: CallOutcome, connection: Connection, host: string): Promise<void> {
    try {
      if (outcome.kind === 'broken' && outcome.retryAfter !== undefined)
        await outgoing.hold(host, outcome.retryAfter, `The site responded with ${outcome.httpStatus}.`)
      if (outcome.kind === 'refused' && outcome.wanted) await vault.connections.wanted(connection, outcome.wanted)
      if (provesToken(outcome)) await vault.connections.accepted(connection)
      if (outcome.kind === 'rejected' && outcome.listIsStale) await vault.wantChecks([connection.entryId])
    } catch (error) {
      logger.warn({ err: error, host }, 'failed to record what the outcome of a call says about a site')
    }
  }

  /** Waits for a slot and keeps the call's position. Throws the signal's reason when aborted. */
  async function pause(ms: number, { callId, signal }: Sending): Promise<void> {
    await delay(ms, undefined, { signal }).catch(async (error: unknown) => {
      await outgoing.leave(callId)
      throw signal?.reason ?? error
    })
  }

  const open = (sending: Sending): Promise<ConnectionState> =>
    untilAborted(vault.connections.open(sending.ownerId, sending.entryId), sending.signal)

  async function sendNow(sending: Sending, ledger: Ledger): Promise<Sent> {
    const state = await open(sending)
    if (state.kind !== 'ready') return notOpen(sending, state)
    if (state.refreshed) await ledger.onRefreshed()
    const { tools, notGranted } = state.connection
    if (!tools.includes(sending.tool)) return toolRemoved(notGranted[sending.tool])
    return sendInSlot(sending, state.connection, ledger)
  }

  /** An unreleased slot expires automatically, so a failure here must not cost the call's outcome. */
  const releaseSlot = (slotId: string, wasUsed: boolean): Promise<void> =>
    (wasUsed ? outgoing.release(slotId) : outgoing.releaseUnused(slotId)).catch((error: unknown) =>
      logger.warn({ err: error }, 'failed to release a slot; it will expire'),
    )

  async function handleRefusal(
    sending: Sending,
    connection: Connection,
    host: string,
    outcome: RefusedAttempt,
  ): Promise<Sent> {
    if (outcome.httpStatus === 429) {
      const until = await outgoing.hold(host, outcome.retryAfter, 'The site responded with 429.')
      return { kind: 'held', until, why: 'held', host, outcome }
    }
    // If the refused credential was already a newer one, another refresh cannot help.
    const again = sending.refusedGeneration !== null && sending.refusedGeneration < connection.generation
    const state = await vault.connections.refused(sending.ownerId, connection, again)
    return afterRefusal(sending, state, outcome)
  }

  const requestOf = (sending: Sending, connection: Connection) => ({
    ...sending,
    ...connection,
    pinned: connection.pinnedTools.find(({ name }) => name === sending.tool),
  })

  return {
    /**
     * Asks the site what has become of a call that it works on. That begins nothing, so it takes no slot of the host, but
     * keeps away from a host that is held or suspended.
     *
     * @param onRefused records which generation of the credential was refused
     */
    async ask(sending: Waiting, onRefused: (generation: number) => Promise<void>): Promise<Sent> {
      const state = await open(sending)
      if (state.kind !== 'ready') return notOpen(sending, state)
      const { connection } = state
      const host = limitedHost(connection.serverUrl, config.sites)
      const until = await outgoing.heldUntil(host)
      if (until) return { kind: 'held', until, why: 'held', host }
      const outcome = await call(sending, connection)
      await learnFrom(outcome, connection, host)
      // Progress replaces what was stored before.
      if (outcome.kind !== 'accepted') storedBytes.note(sending.ownerId, storedOf(outcome))
      if (!isRefusedAttempt(outcome)) return { kind: 'answered', outcome }
      if (outcome.httpStatus === 401) await onRefused(connection.generation)
      return untilAborted(handleRefusal(sending, connection, host, outcome), sending.signal)
    },

    /** Tells the site, once, that nobody waits for what it works on. Never fails. */
    async abandon(sending: Sending): Promise<void> {
      try {
        const state = await open(sending)
        if (state.kind === 'ready') await dialect.abandon(requestOf(sending, state.connection))
      } catch (error) {
        logger.warn({ err: error, callId: sending.callId }, 'failed to tell a site that nobody waits for a call')
      }
    },

    /** Throws the signal's reason when aborted, and errors of the ledger, but never because of a site. */
    async send(sending: Waiting, ledger: Ledger): Promise<Sent> {
      const until = performance.now() + (sending.patienceMs ?? 0)
      for (;;) {
        const patienceMs = Math.max(0, until - performance.now())
        const sent = await sendNow({ ...sending, patienceMs }, ledger)
        if (sent.kind !== 'held' || sent.inMs === undefined) return sent
        if (sent.inMs > patienceMs) {
          if (sending.patienceMs !== undefined) await outgoing.leave(sending.callId)
          return sent
        }
        // The credential is opened again after the wait, because it may have been replaced.
        await pause(sent.inMs, sending)
      }
    },
  }
}

/** A call as it is sent, with what its caller can wait for besides the response. */
type Waiting = Sending & { mayAsk?: boolean; mayLast?: boolean }

export type Sender = ReturnType<typeof createSender>

/** A success proves the token, and so does 403, which is about the user of a valid token. */
const provesToken = ({ kind, httpStatus }: CallOutcome): boolean =>
  kind === 'succeeded' || kind === 'asks' || kind === 'accepted' || kind === 'unread' || httpStatus === 403

/** The bytes that are stored of an outcome. */
const storedOf = (outcome: CallOutcome): number =>
  Buffer.byteLength(outcome.kind === 'asks' ? JSON.stringify(outcome.form) + outcome.state : outcome.text)

type RefusedAttempt = Extract<CallOutcome, { kind: 'refused' }>

/** Whether the attempt was refused (401, 429) and may be repeated. 403 is final. */
const isRefusedAttempt = (outcome: CallOutcome): outcome is RefusedAttempt =>
  outcome.kind === 'refused' && outcome.httpStatus !== 403

/** An abandoned refresh continues, because its tokens must be stored. A cancelled run must still end. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

const notOffered = 'The site no longer offers this tool, so it can no longer be called.'
const resting = `This tool cannot be called now because the account is over its site limit. The owner can delete other sites. ${howToGetMore}`
const gone = 'The site is no longer connected because its vault entry was deleted.'

const afterRefusal = (sending: Sending, state: ConnectionState, outcome: CallOutcome): Sent =>
  state.kind === 'ready' ? { kind: 'again', outcome, refreshed: state.refreshed } : notOpen(sending, state)

/** Nothing can be sent, because there is no connection. */
function notOpen(sending: Sending, state: Exclude<ConnectionState, { kind: 'ready' }>): Unsent {
  if (state.kind === 'dead') return { kind: 'parked', message: state.message }
  if (state.kind === 'gone') return unsent(gone, true)
  if (state.kind === 'resting') return unsent(resting, true)
  return unreachable(sending, state)
}

const unsent = (text: string, permanent: boolean): Extract<Sent, { kind: 'unsent' }> => ({
  kind: 'unsent',
  outcome: { kind: 'unavailable', httpStatus: null, certain: true, text, ...(permanent && { permanent }) },
})

/** A refresh or a new manifest removed the tool since the call was planned. */
const toolRemoved = (notGranted: string | undefined): Sent =>
  notGranted === undefined ? unsent(notOffered, true) : { ...unsent(notGranted, true), notGranted: true }

/** A call that may wait does so if the site stated when to request tokens again. */
function unreachable(
  sending: Sending,
  { message, retryAt }: Extract<ConnectionState, { kind: 'unavailable' }>,
): Unsent {
  if (!retryAt || !sending.mayWait) return unsent(message, false)
  return { kind: 'held', until: retryAt, why: 'held', host: '' }
}
