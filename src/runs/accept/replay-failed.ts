import type { Agent } from '../../agents/agent.ts'
import type { Database } from '../../database/database.ts'
import { isCoded, type CodedError } from '../../errors.ts'
import { AgentQueue } from '../agent-queue.ts'
import type { EndReason } from '../states.ts'
import { failedDeliveries, type FailedDelivery, type Sequences } from './failed-deliveries.ts'
import {
  nothingLeftOut,
  type BatchOutcome,
  type LeftOut,
  type ReplayBatches,
  type ReplayRequest,
} from './replay-batches.ts'

/** Selects failed deliveries. */
export interface FailedFilter {
  from?: number | undefined
  to?: number | undefined
  endedSince?: Date | undefined
  endedUntil?: Date | undefined
  reason?: EndReason | undefined
}

/** What one request replayed, or would replay. */
export interface BulkReplay {
  /** Sequences of the replays; in a preview, of the deliveries. */
  sequences: number[]
  leftOut: LeftOut
  /** The failed deliveries that this request did not reach; null if none. */
  next: Sequences | null
  /** Why it stopped early. */
  stopped: CodedError | null
}

/** How many failed deliveries one request checks, and how many bytes of payloads, slightly exceeded at most. */
const most = 1000
const mostBytes = 16 * 1024 ** 2

/** One batch is one transaction. It locks the queue, so it must not hold up the agent's deliveries. */
const batchSize = 50
const batchBytes = 256 * 1024

/**
 * Replays an agent's failed deliveries by sequence (docs/understand/order.md, "Replays"). Each batch commits separately
 * and leaves out replayed runs, so an interrupted request can be repeated.
 */
export function createReplayFailed({ database, batches }: { database: Database; batches: ReplayBatches }) {
  /** Without `to`, the range ends at the agent's latest run. Replays get later sequences, so paging ends. */
  async function rangeOf({ id, movedSequence }: Agent, { from = 1, to = Infinity }: FailedFilter): Promise<Sequences> {
    const queue = await AgentQueue.query(database).findById(id)
    return { from: Math.max(from, (movedSequence ?? 0) + 1), to: Math.min(to, queue?.lastSequence ?? 0) }
  }

  async function replayRange(agent: Agent, filter: FailedFilter, work: Work): Promise<BulkReplay> {
    const range = await rangeOf(agent, filter)
    const found = await failedDeliveries(database, agent.id, { ...range, most })
    const taken = upTo(found, mostBytes)
    const isRest = taken.length < found.length || found.length === most
    const total = { sequences: [] as number[], leftOut: nothingLeftOut() }
    for (const batch of split(taken.filter(isMeantBy(filter)))) {
      const { stopped, ...outcome } = await work(batch).catch((error: unknown) => refusedFrom(batch, error))
      add(total, outcome)
      if (!stopped) continue
      if (total.sequences.length === 0) throw stopped.error
      return { ...total, next: { from: stopped.at, to: range.to }, stopped: stopped.error }
    }
    return { ...total, next: isRest ? after(taken.at(-1), range) : null, stopped: null }
  }

  return {
    /** What `replayFailed` would replay, given room in the queue and the account. Changes nothing. */
    previewFailed: (agent: Agent, filter: FailedFilter, asked: ReplayRequest): Promise<BulkReplay> =>
      replayRange(agent, filter, (batch) => batches.preview(agent, asked, batch)),

    /**
     * Replays at most 1,000 deliveries. If none can be replayed, fails with AGENT_NOT_FOUND (deleted), TIER_REQUIRED,
     * SUBSCRIPTION_PAST_DUE, NO_CREDITS, FEATURE_LIMIT_REACHED (no room), RATE_LIMITED (a full queue, too many bytes).
     */
    replayFailed: (agent: Agent, filter: FailedFilter, asked: ReplayRequest): Promise<BulkReplay> =>
      replayRange(agent, filter, (batch) => batches.replay(agent, asked, batch)),
  }
}

type Work = (batch: FailedDelivery[]) => Promise<BatchOutcome>

/** A refused batch ends the request. Earlier batches stay committed. */
function refusedFrom([first]: FailedDelivery[], error: unknown): BatchOutcome {
  if (!isCoded(error) || error.code === 'INTERNAL_ERROR') throw error
  return { sequences: [], leftOut: nothingLeftOut(), stopped: { error, at: first?.sequence ?? 0 } }
}

function add(total: Omit<BatchOutcome, 'stopped'>, { sequences, leftOut }: Omit<BatchOutcome, 'stopped'>): void {
  total.sequences.push(...sequences)
  for (const [reason, count] of Object.entries(leftOut)) total.leftOut[reason as keyof LeftOut] += count
}

const after = (last: FailedDelivery | undefined, { to }: Sequences): Sequences | null =>
  last && last.sequence < to ? { from: last.sequence + 1, to } : null

const isMeantBy =
  ({ endedSince, endedUntil, reason }: FailedFilter) =>
  (delivery: FailedDelivery): boolean =>
    (endedSince === undefined || delivery.endedAt >= endedSince) &&
    (endedUntil === undefined || delivery.endedAt < endedUntil) &&
    (reason === undefined || delivery.reason === reason)

/** The first deliveries up to this many payload bytes; at least one. */
function upTo(deliveries: FailedDelivery[], bytes: number): FailedDelivery[] {
  let sum = 0
  const end = deliveries.findIndex((delivery) => (sum += delivery.bytes ?? 0) > bytes)
  return end === -1 ? deliveries : deliveries.slice(0, Math.max(end, 1))
}

function split(deliveries: FailedDelivery[]): FailedDelivery[][] {
  const batches: FailedDelivery[][] = []
  for (let rest = deliveries; rest.length > 0;) {
    const batch = upTo(rest.slice(0, batchSize), batchBytes)
    batches.push(batch)
    rest = rest.slice(batch.length)
  }
  return batches
}
