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

/** Which failed deliveries are meant. */
export interface FailedFilter {
  from?: number | undefined
  to?: number | undefined
  endedSince?: Date | undefined
  endedUntil?: Date | undefined
  reason?: EndReason | undefined
}

/** What one request has replayed, or would replay. */
export interface BulkReplay {
  /** The sequences of the replays; of a preview, those of the deliveries. */
  sequences: number[]
  leftOut: LeftOut
  /** The failed deliveries that this request has not looked at; null if there are none. */
  next: Sequences | null
  /** Why it stopped early. */
  stopped: CodedError | null
}

/** How many failed deliveries one request looks at, and how many bytes their payloads have at most, or a few more. */
const most = 1000
const mostBytes = 16 * 1024 ** 2

/** A batch is one transaction, which locks the queue: it must not hold up the deliveries of the agent. */
const batchSize = 50
const batchBytes = 256 * 1024

/**
 * Replays the failed deliveries of an agent (docs/design.md, "Replay"), in the order of their sequences. Each batch
 * commits separately, and what is replayed is left out, so a request that was cut off may be repeated.
 */
export function createReplayFailed({ database, batches }: { database: Database; batches: ReplayBatches }) {
  /** Without `to`, up to the last run of now: replays come behind it, so whoever continues comes to an end. */
  async function rangeOf({ id, movedSequence }: Agent, { from = 1, to = Infinity }: FailedFilter): Promise<Sequences> {
    const queue = await AgentQueue.query(database).findById(id)
    return { from: Math.max(from, (movedSequence ?? 0) + 1), to: Math.min(to, queue?.lastSequence ?? 0) }
  }

  async function carryOut(agent: Agent, filter: FailedFilter, work: Work): Promise<BulkReplay> {
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
    /** What `replayFailed` would replay if the queue and the account have room for it. Changes nothing. */
    previewFailed: (agent: Agent, filter: FailedFilter, asked: ReplayRequest): Promise<BulkReplay> =>
      carryOut(agent, filter, (batch) => batches.preview(agent, asked, batch)),

    /**
     * Replays them, 1,000 at most. Fails, if none can be replayed, with AGENT_NOT_FOUND (deleted), TIER_REQUIRED,
     * SUBSCRIPTION_PAST_DUE, NO_CREDITS, FEATURE_LIMIT_REACHED (no room), RATE_LIMITED (a full queue, too many bytes).
     */
    replayFailed: (agent: Agent, filter: FailedFilter, asked: ReplayRequest): Promise<BulkReplay> =>
      carryOut(agent, filter, (batch) => batches.replay(agent, asked, batch)),
  }
}

type Work = (batch: FailedDelivery[]) => Promise<BatchOutcome>

/** What a batch is refused for ends the request; that of the batches before stays. */
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

/** The first of them, until their payloads have so many bytes; one at least. */
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
