import type { Agent } from '../../agents/agent.ts'
import type { Database } from '../../database/database.ts'
import { isCoded, type CodedError } from '../../errors.ts'
import type { RateLimits } from '../../rate-limit.ts'
import type { Payloads } from '../../webhooks/payloads.ts'
import { lockQueue } from '../agent-queue.ts'
import { RunInput } from '../run-input.ts'
import type { Accept } from './accept.ts'
import { replayStatesOf, type ReplayState, type FailedDelivery } from './failed-deliveries.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import type { AssertReplayable } from './assert-replayable.ts'

/** Reasons to leave out a failed delivery. A batch counts each. */
const leftOutReasons = ['replayed', 'onceCalls', 'schema', 'purged'] as const
export type LeftOut = Record<(typeof leftOutReasons)[number], number>
export const nothingLeftOut = (): LeftOut => ({ replayed: 0, onceCalls: 0, schema: 0, purged: 0 })

/** The outcome of a batch. `stopped`: nothing was done from this sequence on. */
export interface BatchOutcome {
  sequences: number[]
  leftOut: LeftOut
  stopped?: { error: CodedError; at: number } | undefined
}

export interface ReplayRequest {
  requestId: string
  /** No delivery is replayed twice under one key. */
  idempotencyKey: string | undefined
  /** Also replays deliveries that made a call that is unsafe to repeat. */
  repeatOnceCalls: boolean
}

interface Candidate {
  delivery: FailedDelivery
  request: AcceptRequest
}

/** Replays failed deliveries of an agent in one transaction, or previews that. */
export function createReplayBatches(context: {
  database: Database
  accept: Pick<Accept, 'together'>
  payloads: Pick<Payloads, 'read'>
  rateLimits: Pick<RateLimits, 'inputBytes'>
  assertReplayable: AssertReplayable
}) {
  const { database, accept, payloads, rateLimits, assertReplayable } = context

  /** Reads the payloads of deliveries that are not left out for another reason. */
  async function candidatesOf(agent: Agent, asked: ReplayRequest, batch: FailedDelivery[], leftOut: LeftOut) {
    const states = await replayStatesOf(
      database,
      batch.map(({ id }) => id),
    )
    const open = batch.filter(({ id }) => isOpen(states.get(id), asked, leftOut))
    const inputs = await RunInput.query(database).findByIds(open.map(({ id }) => id))
    const inputOf = new Map(inputs.map((input) => [input.runId, input]))
    const candidates: Candidate[] = []
    for (const delivery of open) {
      const input = inputOf.get(delivery.id)
      const firstRunId = states.get(delivery.id)?.firstRunId ?? delivery.id
      if (!input) leftOut.purged += 1
      else if (!(await fits(agent, input.payload))) leftOut.schema += 1
      else candidates.push({ delivery, request: requestOf(agent, asked, input, firstRunId) })
    }
    return candidates
  }

  /** Whether the payload fits. One that takes too long to read does not. */
  async function fits(agent: Agent, payload: string): Promise<boolean> {
    if (agent.webhookSchema === null) return true
    const read = await payloads.read(Buffer.from(payload), agent).catch((error: unknown) => {
      if (isCoded(error, 'VALIDATION_ERROR')) return undefined
      throw error
    })
    return read?.mismatches.length === 0
  }

  /** Nothing else is accepted under the queue's lock, so no delivery is replayed twice. */
  const acceptAll = (agent: Agent, asked: ReplayRequest, candidates: Candidate[], leftOut: LeftOut) =>
    database.transaction(async (trx) => {
      await lockQueue(trx, agent.id)
      const states = await replayStatesOf(
        trx,
        candidates.map(({ delivery }) => delivery.id),
      )
      const open = candidates.filter(({ delivery }) => isOpen(states.get(delivery.id), asked, leftOut))
      const requests = open.map(({ request }) => request)
      return { open, ...(await accept.together(trx, requests)) }
    })

  return {
    async preview(agent: Agent, asked: ReplayRequest, batch: FailedDelivery[]): Promise<BatchOutcome> {
      const leftOut = nothingLeftOut()
      const candidates = await candidatesOf(agent, asked, batch, leftOut)
      return { sequences: candidates.map(({ delivery }) => delivery.sequence), leftOut }
    },

    async replay(agent: Agent, asked: ReplayRequest, batch: FailedDelivery[]): Promise<BatchOutcome> {
      const leftOut = nothingLeftOut()
      const candidates = await candidatesOf(agent, asked, batch, leftOut)
      if (candidates.length === 0) return { sequences: [], leftOut }
      const standing = await assertReplayable(agent, 'webhook')
      await rateLimits.inputBytes(agent.ownerId, standing, bytesOf(candidates))
      const { open, decisions, wake } = await acceptAll(agent, asked, candidates, leftOut)
      wake()
      const refused = decisions.findIndex((decision) => 'error' in decision)
      const accepted = decisions.flatMap((decision) => ('receipt' in decision ? [decision] : []))
      leftOut.replayed += accepted.filter(({ isNew }) => !isNew).length
      return { sequences: accepted.filter(({ isNew }) => isNew).map(sequenceOf), leftOut, ...stoppedAt(refused) }

      function stoppedAt(index: number): Pick<BatchOutcome, 'stopped'> {
        const decision = decisions[index]
        if (!decision || !('error' in decision)) return {}
        return { stopped: { error: decision.error, at: open[index]?.delivery.sequence ?? 0 } }
      }
    },
  }
}

export type ReplayBatches = ReturnType<typeof createReplayBatches>

const sequenceOf = ({ receipt }: { receipt: Receipt }): number => receipt.sequence

const bytesOf = (candidates: Candidate[]): number =>
  candidates.reduce((sum, { delivery }) => sum + (delivery.bytes ?? 0), 0)

/** Whether a delivery may be replayed. Otherwise it is counted. A run without a state was just purged. */
function isOpen(state: ReplayState | undefined, { repeatOnceCalls }: ReplayRequest, leftOut: LeftOut): boolean {
  if (!state) leftOut.purged += 1
  else if (state.isReplayed) leftOut.replayed += 1
  else if (state.hasActed && !repeatOnceCalls) leftOut.onceCalls += 1
  else return true
  return false
}

const requestOf = (
  agent: Agent,
  { requestId, idempotencyKey: key }: ReplayRequest,
  { runId, payload, action, headers }: RunInput,
  firstRunId: string,
): AcceptRequest => ({
  agentId: agent.id,
  ownerId: agent.ownerId,
  trigger: 'webhook',
  requestId,
  payload,
  action: action ?? undefined,
  headers: headers ?? undefined,
  replayOf: runId,
  idempotencyKey: key === undefined ? undefined : `replay all ${firstRunId} ${key}`,
})
