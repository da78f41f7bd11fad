import type { Callbacks } from '../../callbacks/callbacks.ts'
import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import { decide, findKnown, lockQueues, repeatedReceipt, store, type Decision } from './accept-batch.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { receiptInsteadOfRefusal } from './repeats.ts'

interface Waiting {
  request: AcceptRequest
  resolve: (receipt: Receipt) => void
  reject: (error: unknown) => void
}

const batchSize = 200

/**
 * Accepts runs. Requests that arrive while a commit is under way share the next one: that brings several times the
 * throughput of a transaction each (bench/accept). The order of arrival is the order of commits and, within one, of
 * the batch; each agent's queue row is locked meanwhile, so its sequence has no gaps. Every reply waits for the commit.
 * Fails with AGENT_NOT_FOUND, AGENT_ALREADY_RUNNING, RATE_LIMITED (queue depth) or VALIDATION_ERROR (an idempotency
 * key that was used for another body).
 */
export function createAccept(context: {
  database: Database
  clock: Clock
  callbacks: Callbacks
  config: Pick<Config, 'queueDepth' | 'reconcile'>
  temporal: Pick<Temporal, 'wakeSoon'>
}) {
  const { database, clock, callbacks, temporal } = context
  const { queueDepth, reconcile } = context.config
  const waiting: Waiting[] = []
  let flushing = false

  async function flush(): Promise<void> {
    flushing = true
    // The turn of the event loop lets requests that were read together be committed together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commit(waiting.splice(0, batchSize))
    flushing = false
  }

  async function commit(batch: Waiting[]): Promise<void> {
    try {
      const requests = batch.map(({ request }) => request)
      const { decisions, woken } = await database.transaction((trx) => decideAll(trx, requests))
      temporal.wakeSoon(woken)
      batch.forEach(({ resolve, reject }, index) => {
        const decision = decisions[index] as Decision
        if ('error' in decision) reject(decision.error)
        else resolve(decision.receipt)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async function decideAll(trx: Transaction, requests: AcceptRequest[]) {
    const queues = await lockQueues(trx, [...new Set(requests.map(({ agentId }) => agentId))])
    const known = await findKnown(trx, requests)
    const decisions = requests.map((request) => decide(request, queues.get(request.agentId), known, queueDepth))
    const now = clock.now()
    // From its acceptance on, a run has so long to be claimed before its agent counts as stalled.
    const changed = await store(trx, { now, due: later(now, reconcile.stallSeconds) }, requests, decisions, queues)
    for (const [index, decision] of decisions.entries()) {
      const { agentId } = requests[index] as AcceptRequest
      if (endsAtOnce(decision)) await callbacks.queue(trx, { runId: decision.receipt.runId, agentId, now })
    }
    const woken = changed.filter(({ awake, blocked_cause: blocked }) => !awake && !blocked)
    return { decisions, woken: woken.map(({ agent_id, owner_id }) => ({ agentId: agent_id, ownerId: owner_id })) }
  }

  /** The receipt of the run that was accepted under the request's idempotency key before, if there is one. */
  async function known(request: AcceptRequest): Promise<Receipt | undefined> {
    const found = await database.transaction((trx) => findKnown(trx, [request]))
    return repeatedReceipt(request, found)
  }

  /** Accepts one run; the promise holds when it is committed. */
  function one(request: AcceptRequest): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject })
      if (!flushing) void flush()
    })
  }

  return {
    known,
    one,

    /** Accepts one run unless `check` refuses it; one that was accepted before has its receipt, whatever `check` says. */
    async checked(request: AcceptRequest, check: () => Promise<void>): Promise<Receipt> {
      return (await receiptInsteadOfRefusal(request, known, check)) ?? one(request)
    },

    /**
     * Accepts one run within the caller's transaction, for those who record more with it; the queue must be locked last
     * of all. `wake` is to be called after the commit.
     */
    async within(trx: Transaction, request: AcceptRequest): Promise<{ receipt: Receipt; wake: () => void }> {
      const { decisions, woken } = await decideAll(trx, [request])
      const [decision] = decisions as [Decision]
      if ('error' in decision) throw decision.error
      return { receipt: decision.receipt, wake: () => temporal.wakeSoon(woken) }
    },
  }
}

/** A run that is skipped by being accepted: its ending is told like every other. */
const endsAtOnce = (decision: Decision): decision is Extract<Decision, { receipt: Receipt }> =>
  'receipt' in decision && decision.isNew && decision.receipt.status === 'skipped'
