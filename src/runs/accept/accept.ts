import { canaryAgentId } from '../../owners/system-owner.ts'
import { setTimeout as delay } from 'node:timers/promises'
import type { StoredBytes } from '../../billing/stored-bytes.ts'
import type { Callbacks } from '../../callbacks/callbacks.ts'
import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { afterCommit } from '../../database/after-commit.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { permittedNow, regardless } from '../../database/while-permitted.ts'
import { CodedError } from '../../errors.ts'
import { loggingAlone, noteInLog } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import { currentTraceparent } from '../../tracing/span.ts'
import { acceptRuns, isNew, type Decided, type Decision } from './accept-runs.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { findAccepted, repeated } from './repeated.ts'

/** A decision that is final for a batch. */
type Final = Exclude<Decision, 'locked' | 'again'>

interface Waiting {
  request: AcceptRequest
  since: number
  resolve: (decision: Final) => void
  reject: (error: unknown) => void
}

const batchSize = 200

/** A batch closes once its payloads exceed this size, because writing them blocks the event loop. */
const batchBytes = 256 * 1024

/**
 * Pauses before requests for a locked queue are retried, and the longest total wait, in milliseconds. The first pause is
 * as short as another process's batch; each further one is twice as long.
 */
const firstPauseMs = 1
const longestPauseMs = 16
const longestLockMs = 10_000

/**
 * Accepts runs. Requests that arrive during a commit share the next one, which multiplies throughput (bench/accept).
 * Runs arrive in the order of commits and, within one, of the batch. A batch is one statement that locks each agent's
 * queue row, so sequences have no gaps. Every reply waits for the commit. Requests for a queue that is locked elsewhere
 * leave the batch and are retried, so they do not delay others. Fails with AGENT_NOT_FOUND, AGENT_ALREADY_RUNNING,
 * RATE_LIMITED (queue depth) or VALIDATION_ERROR (an idempotency key reused with another body).
 */
export function createAccept(context: {
  database: Database
  clock: Clock
  billing: { storedBytes: Pick<StoredBytes, 'noteOne'> }
  callbacks: Callbacks
  config: Pick<Config, 'queueDepth' | 'reconcile'>
  temporal: Pick<Temporal, 'wakeSoon'>
  metrics: Pick<Metrics, 'deliveries' | 'acceptBatchRows' | 'runsEnded'>
}) {
  const { database, clock, callbacks, temporal, metrics } = context
  const { queueDepth: depth, reconcile } = context.config
  /** Oldest first. */
  let waiting: Waiting[] = []
  /** For agents whose queue was locked: when their requests may be retried, and after what pause. */
  const locked = new Map<string, { until: number; pauseMs: number }>()
  let flushing = false

  async function flush(): Promise<void> {
    flushing = true
    // Waits one turn of the event loop, so requests that were read together commit together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const batch = takeBatch()
      await (batch.length > 0 ? commit(batch) : delay(firstPauseMs))
    }
    locked.clear()
    flushing = false
  }

  /** The oldest requests, without those whose queue was just locked. */
  function takeBatch(): Waiting[] {
    const now = performance.now()
    const isFree = ({ request }: Waiting) => (locked.get(request.agentId)?.until ?? 0) <= now
    const batch: Waiting[] = []
    const rest: Waiting[] = []
    let bytes = 0
    for (const one of waiting) {
      const fits = batch.length < batchSize && bytes <= batchBytes
      if (!fits || !isFree(one)) rest.push(one)
      else {
        batch.push(one)
        bytes += one.request.payload?.length ?? 0
      }
    }
    waiting = rest
    return batch
  }

  async function commit(batch: Waiting[]): Promise<void> {
    const requests = batch.map(({ request }) => request)
    try {
      const decided = await decide(database, requests, { waits: false })
      noteCommitted(decided)
      count(requests, decided.decisions)
      settle(batch, decided.decisions)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  /** Deliveries share their commits. A replay is none, and comes with others of its own. */
  function count(requests: AcceptRequest[], decisions: Decision[]): void {
    metrics.acceptBatchRows.observe(requests.length)
    for (const [index, { trigger, agentId }] of requests.entries()) {
      const decision = decisions[index] as Decision
      if (trigger === 'webhook' && agentId !== canaryAgentId && typeof decision === 'object' && 'receipt' in decision)
        metrics.deliveries.inc({ result: decision.isNew ? 'accepted' : 'repeated' })
    }
  }

  function decide(db: Database | Transaction, requests: AcceptRequest[], { waits }: { waits: boolean }) {
    const now = clock.now()
    return acceptRuns(db, requests, { now, due: later(now, reconcile.stallSeconds), depth, waits })
  }

  /** Puts undecided requests back before later ones, to keep each agent's order of arrival. */
  function settle(batch: Waiting[], decisions: Decision[]): void {
    const now = performance.now()
    const undecided: Waiting[] = []
    batch.forEach((one, index) => {
      const decision = decisions[index] as Decision
      if (decision !== 'locked') locked.delete(one.request.agentId)
      if (decision !== 'locked' && decision !== 'again') return one.resolve(decision)
      if (decision === 'locked' && now - one.since > longestLockMs) one.reject(lockedTooLong())
      else undecided.push(one)
    })
    const agentIds = batch.flatMap(({ request }, index) => (decisions[index] === 'locked' ? [request.agentId] : []))
    for (const agentId of new Set(agentIds)) {
      const pauseMs = Math.min(2 * (locked.get(agentId)?.pauseMs ?? firstPauseMs / 2), longestPauseMs)
      locked.set(agentId, { until: now + pauseMs, pauseMs })
    }
    if (undecided.length > 0) waiting = [...undecided, ...waiting]
  }

  function noteCommitted({ woken, stored }: Omit<Decided, 'decisions'>): void {
    for (const { ownerId, bytes } of stored) context.billing.storedBytes.noteOne(ownerId, bytes)
    temporal.wakeSoon(woken)
  }

  /** Decides a request with others. Resolves after the commit. `stale` if what it was judged by has changed. */
  async function withOthers(request: AcceptRequest): Promise<Receipt | 'stale'> {
    const decision = await new Promise<Final>((resolve, reject) => {
      waiting.push({ request: traced(request), since: performance.now(), resolve, reject })
      if (!flushing) void loggingAlone(() => regardless(flush))
    })
    return decision === 'stale' ? decision : receiptOf(decision)
  }

  /**
   * Accepts runs of one agent, in order, in the caller's transaction. Waits for the queue's lock. Call `wake` after the
   * commit.
   */
  async function together(trx: Transaction, requests: AcceptRequest[]) {
    const { decisions, woken, stored } = await decide(trx, requests.map(traced), { waits: true })
    const repeats = decisions.flatMap((decision, index) => (decision === 'again' ? [index] : []))
    for (const index of repeats) {
      const again = await decide(trx, [traced(requests[index] as AcceptRequest)], { waits: true })
      decisions[index] = again.decisions[0] as Decision
      woken.push(...again.woken)
      stored.push(...again.stored)
    }
    for (const [index, decision] of decisions.entries()) {
      const { agentId } = requests[index] as AcceptRequest
      // The run's ending is counted and posted like any other.
      if (!isNew(decision) || decision.receipt.status !== 'skipped') continue
      afterCommit(trx, () => metrics.runsEnded.inc({ status: 'skipped', reason: 'OVERLAP' }))
      await callbacks.queue(trx, { runId: decision.receipt.runId, agentId, now: clock.now() })
    }
    return { decisions: decisions as Extract<Decision, object>[], wake: () => noteCommitted({ woken, stored }) }
  }

  /** Accepts one run in the caller's transaction, so more can be recorded with it. Throws the refusal. */
  async function within(trx: Transaction, request: AcceptRequest): Promise<{ receipt: Receipt; wake: () => void }> {
    const { decisions, wake } = await together(trx, [request])
    const receipt = receiptOf(decisions[0] as Decision)
    noteInLog({ agentId: request.agentId, runId: receipt.runId })
    return { receipt, wake }
  }

  /** A user's request commits only if it is still permitted, so it has a transaction of its own. */
  async function alone(request: AcceptRequest): Promise<Receipt> {
    const { decisions, wake } = await database.transaction((trx) => together(trx, [request]))
    wake()
    // Not before the commit: somebody without permission must not learn how the request was decided.
    return receiptOf(decisions[0] as Decision)
  }

  /** Accepts one run. Resolves after the commit. */
  async function one(request: AcceptRequest): Promise<Receipt> {
    const receipt = permittedNow() ? await alone(request) : await withOthers(request)
    if (receipt === 'stale') throw new Error('only a judged request can be stale')
    noteInLog({ agentId: request.agentId, runId: receipt.runId })
    return receipt
  }

  return {
    one,
    withOthers,
    together,
    within,

    /** The receipt of a run accepted earlier under the same idempotency key. VALIDATION_ERROR if the body differs. */
    async known(request: AcceptRequest): Promise<Receipt | undefined> {
      const earlier = await findAccepted(database, request)
      return earlier && receiptOf(repeated(request, earlier))
    },
  }
}

export type Accept = ReturnType<typeof createAccept>

/** Its batch is decided in another request's work. */
const traced = (request: AcceptRequest): AcceptRequest => ({ ...request, traceparent: currentTraceparent() })

/** The receipt of a decided request. Throws the refusal. */
function receiptOf(decision: Decision): Receipt {
  if (typeof decision !== 'object') throw new Error(`a request that is ${decision} has no receipt`)
  if ('error' in decision) throw decision.error
  return decision.receipt
}

const lockedTooLong = (): CodedError =>
  new CodedError('INTERNAL_ERROR', {
    message: "The agent's queue was busy for too long. Nothing was stored. Try again in a few seconds.",
    retryAfter: 5,
  })
