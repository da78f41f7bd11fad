import { setTimeout as delay } from 'node:timers/promises'
import type { StoredBytes } from '../../billing/stored-bytes.ts'
import type { Callbacks } from '../../callbacks/callbacks.ts'
import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { permittedNow, regardless, type Permitted } from '../../database/while-permitted.ts'
import { CodedError, isCoded } from '../../errors.ts'
import { loggingAlone, noteInLog } from '../../logger.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import { decide, isNew, repeatedReceipt, type Decision, type Queue } from './decision.ts'
import { findAccepted, lockFree, lockOne } from './lock-queues.ts'
import { refusedSenders, type RecheckSender } from './recheck-senders.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { store } from './store-runs.ts'

interface Waiting {
  request: AcceptRequest
  /** Checked when the batch is decided: permission may be withdrawn while the request waits for its queue. */
  isPermitted: Permitted | undefined
  /** The same check for a sender, who is not a user. */
  recheckSender: RecheckSender | undefined
  since: number
  resolve: (receipt: Receipt) => void
  reject: (error: unknown) => void
}

const batchSize = 200

/** A batch closes once its payloads exceed this size, because writing them blocks the event loop. */
const batchBytes = 256 * 1024

/** Pause before a request for a locked queue is retried, and the longest total wait, in milliseconds. */
const lockedPauseMs = 10
const longestLockMs = 10_000

/**
 * Accepts runs. Requests that arrive during a commit share the next one, which multiplies throughput (bench/accept).
 * Runs arrive in the order of commits and, within one, of the batch. The batch locks each agent's queue row, so
 * sequences have no gaps. Every reply waits for the commit. Requests for a queue that is locked elsewhere leave the
 * batch and are retried, so they do not delay others. Fails with AGENT_NOT_FOUND, AGENT_ALREADY_RUNNING, RATE_LIMITED
 * (queue depth) or VALIDATION_ERROR (an idempotency key reused with another body).
 */
export function createAccept(context: {
  database: Database
  clock: Clock
  billing: { storedBytes: Pick<StoredBytes, 'noteOne'> }
  callbacks: Callbacks
  config: Pick<Config, 'queueDepth' | 'reconcile'>
  temporal: Pick<Temporal, 'wakeSoon'>
}) {
  const { database, clock, callbacks, temporal } = context
  const { queueDepth, reconcile } = context.config
  /** Oldest first. */
  let waiting: Waiting[] = []
  /** When requests for an agent may be retried after its queue was locked. */
  const lockedUntil = new Map<string, number>()
  let flushing = false

  async function flush(): Promise<void> {
    flushing = true
    // Waits one turn of the event loop, so requests that were read together commit together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const batch = takeBatch()
      await (batch.length > 0 ? commit(batch) : delay(lockedPauseMs))
    }
    lockedUntil.clear()
    flushing = false
  }

  /** The oldest requests, without those whose queue was just locked. */
  function takeBatch(): Waiting[] {
    const now = performance.now()
    const isFree = ({ request }: Waiting) => (lockedUntil.get(request.agentId) ?? 0) <= now
    const batch = new Set<Waiting>()
    let bytes = 0
    for (const one of waiting) {
      if (batch.size === batchSize || bytes > batchBytes) break
      if (!isFree(one)) continue
      batch.add(one)
      bytes += one.request.payload?.length ?? 0
    }
    waiting = waiting.filter((one) => !batch.has(one))
    return [...batch]
  }

  async function commit(batch: Waiting[]): Promise<void> {
    const requests = batch.map(({ request }) => request)
    for (const { agentId } of requests) lockedUntil.delete(agentId)
    try {
      const { decisions, woken, stored } = await database.transaction((trx) => decideFree(trx, batch))
      noteCommitted(woken, stored)
      putBack(batch.filter((_, index) => decisions[index] === 'locked'))
      batch.forEach(({ resolve, reject }, index) => {
        const decision = decisions[index] as Decision
        if (decision === 'locked') return
        if ('error' in decision) reject(decision.error)
        else resolve(decision.receipt)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function noteCommitted(woken: Queue[], stored: { ownerId: string; bytes: number }[]): void {
    for (const { ownerId, bytes } of stored) context.billing.storedBytes.noteOne(ownerId, bytes)
    temporal.wakeSoon(woken)
  }

  /** Puts requests back before later ones to keep each agent's order of arrival. */
  function putBack(locked: Waiting[]): void {
    const now = performance.now()
    for (const { request } of locked) lockedUntil.set(request.agentId, now + lockedPauseMs)
    const isLate = ({ since }: Waiting) => now - since > longestLockMs
    for (const { reject } of locked.filter(isLate)) reject(lockedTooLong())
    waiting = [...locked.filter((one) => !isLate(one)), ...waiting]
  }

  async function decideFree(trx: Transaction, batch: Waiting[]) {
    const requests = batch.map(({ request }) => request)
    const { queues, locked } = await lockFree(trx, [...new Set(requests.map(({ agentId }) => agentId))])
    const free = batch.filter(({ request }) => !locked.has(request.agentId))
    const refused = new Map([...(await refusalsIn(trx, free)), ...(await refusedSenders(trx, free))])
    return decideAll(trx, requests, queues, { locked, refused })
  }

  async function decideAll(
    trx: Transaction,
    requests: AcceptRequest[],
    queues: Map<string, Queue>,
    { locked, refused }: { locked: Set<string>; refused: Map<AcceptRequest, CodedError> } = noneRefused,
  ) {
    const free = requests.filter(({ agentId }) => !locked.has(agentId))
    const known = await findAccepted(trx, free)
    const decisions: Decision[] = requests.map((request) => {
      if (locked.has(request.agentId)) return 'locked'
      const error = refused.get(request)
      return error ? { error } : decide(request, queues.get(request.agentId), known, queueDepth)
    })
    const now = clock.now()
    // An agent whose run is not claimed by then is stalled.
    const changed = await store(trx, { now, due: later(now, reconcile.stallSeconds) }, requests, decisions, queues)
    for (const [index, decision] of decisions.entries()) {
      const { agentId } = requests[index] as AcceptRequest
      if (endsAtOnce(decision)) await callbacks.queue(trx, { runId: decision.receipt.runId, agentId, now })
    }
    const stored = requests.flatMap(({ agentId, payload = '', action = '', headers = {} }, index) => {
      const ownerId = queues.get(agentId)?.ownerId
      const isStored = ownerId !== undefined && isNew(decisions[index] as Decision)
      return isStored ? [{ ownerId, bytes: Buffer.byteLength(payload + action + JSON.stringify(headers)) }] : []
    })
    return { decisions, stored, woken: changed.filter(({ awake, blockedCause }) => !awake && !blockedCause) }
  }

  /** The receipt of a run accepted earlier under the same idempotency key. */
  async function known(request: AcceptRequest): Promise<Receipt | undefined> {
    const found = await database.transaction((trx) => findAccepted(trx, [request]))
    return repeatedReceipt(request, found)
  }

  /** Accepts one run. Resolves after the commit. The sender's proof is rechecked when the batch is decided. */
  async function one(request: AcceptRequest, recheckSender?: RecheckSender): Promise<Receipt> {
    const receipt = await new Promise<Receipt>((resolve, reject) => {
      waiting.push({ request, isPermitted: permittedNow(), recheckSender, since: performance.now(), resolve, reject })
      if (!flushing) void loggingAlone(() => regardless(flush))
    })
    noteInLog({ agentId: request.agentId, runId: receipt.runId })
    return receipt
  }

  /**
   * Accepts runs of one agent, in order, in the caller's transaction, which must have locked the queue. Call `wake`
   * after the commit.
   */
  async function together(trx: Transaction, agentId: string, requests: AcceptRequest[]) {
    const { decisions, woken, stored } = await decideAll(trx, requests, await lockOne(trx, agentId))
    const wake = () => noteCommitted(woken, stored)
    // This transaction holds the lock, so the queue is not locked elsewhere.
    return { decisions: decisions as Exclude<Decision, 'locked'>[], wake }
  }

  return {
    known,
    one,
    together,

    /** Accepts one run in the caller's transaction, so more can be recorded with it. Throws the refusal. */
    async within(trx: Transaction, request: AcceptRequest): Promise<{ receipt: Receipt; wake: () => void }> {
      const { decisions, wake } = await together(trx, request.agentId, [request])
      const [decision] = decisions as [Exclude<Decision, 'locked'>]
      if ('error' in decision) throw decision.error
      noteInLog({ agentId: request.agentId, runId: decision.receipt.runId })
      return { receipt: decision.receipt, wake }
    },
  }
}

export type Accept = ReturnType<typeof createAccept>
const noneRefused = { locked: new Set<string>(), refused: new Map<AcceptRequest, CodedError>() }

/** Requests of a batch that are no longer permitted, with the reason. */
async function refusalsIn(trx: Transaction, batch: Waiting[]): Promise<Map<AcceptRequest, CodedError>> {
  const refused = new Map<AcceptRequest, CodedError>()
  for (const { request, isPermitted } of batch) {
    await isPermitted?.(trx).catch((error: unknown) => {
      if (!isCoded(error)) throw error
      refused.set(request, error)
    })
  }
  return refused
}

/** Whether a run is accepted as skipped. Its ending is posted like any other. */
const endsAtOnce = (decision: Decision): decision is Extract<Decision, { receipt: Receipt }> =>
  isNew(decision) && decision.receipt.status === 'skipped'

const lockedTooLong = (): CodedError =>
  new CodedError('INTERNAL_ERROR', {
    message: "The agent's queue was busy for too long. Nothing was stored. Try again in a few seconds.",
    retryAfter: 5,
  })
