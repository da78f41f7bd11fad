import type { AgentForRun, Agents } from '../../agents/agents.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { AgentRunInput } from '../../../workflows/messages.ts'
import { AgentQueue, lockQueue, type BlockedCause } from '../agent-queue.ts'
import { blockOf, type Charge } from './blocked.ts'
import { endedTogether, type WriteEnding } from '../ending/end.ts'
import type { Due } from '../due.ts'
import { promptInForce } from './prompt-in-force.ts'
import { Run, runFacts } from '../run.ts'
import { tellBlocked } from './notify-blocked.ts'
import { append } from '../timeline.ts'

/**
 * Claims the agent's next run for its queue workflow: the oldest queued one, or one that has begun and that the reconciler
 * has taken from an execution which is gone; it goes on from its recorded step. With nothing to do, or nothing that may be
 * done now, the queue falls asleep and the answer is null; the next accept wakes it, or the end of what blocks it. A claim
 * may come twice from one execution of the queue's workflow, and then has the same answer. A run that another execution
 * has claimed is left to that; if it is gone, the reconciler finds out.
 */
export function createClaim(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'queueBlockedSeconds'>
  agents: Agents
  billing: Billing
  notifications: Notifications
  due: Due
  writeEnding: WriteEnding
}) {
  const { database, clock, agents, billing, due, writeEnding } = context

  const claimNext = (agentId: string, claimedBy: string | null = null): Promise<AgentRunInput | null> =>
    database.transaction(async (trx) => {
      const queue = await lockQueue(trx, agentId)
      const now = clock.now()
      return queue.runningRunId
        ? claimBegun(trx, queue, queue.runningRunId, claimedBy)
        : claimOldest(trx, queue, { now, claimedBy })
    })

  /** The run is the claimant's until the reconciler begins another epoch; then it is anybody else's. */
  async function claimBegun(trx: Transaction, queue: AgentQueue, runId: string, claimedBy: string | null) {
    const run = await Run.query(trx).findById(runId).select(runFacts).throwIfNotFound()
    const isFenced = queue.claimedEpoch !== null && queue.claimedEpoch < run.epoch
    const isClaimant = queue.claimedBy === claimedBy
    if (claimedBy !== null && isFenced === isClaimant) return null
    await AgentQueue.query(trx).findById(queue.agentId).patch({ claimedBy, claimedEpoch: run.epoch })
    return toInput(run, run.epoch)
  }

  async function claimOldest(trx: Transaction, queue: AgentQueue, by: By): Promise<AgentRunInput | null> {
    const { agentId } = queue
    const agent = await agents.forRun(trx, agentId)
    if (!agent) return endSome(trx, agentId, by.now)
    const run = await Run.query(trx).where({ agentId, status: 'queued' }).orderBy('sequence').first().forUpdate()
    return run ? claimQueued(trx, queue, run, agent, by) : fallAsleep(trx, agentId)
  }

  /** Of a deleted agent nothing is started. A claim has not the time to end very many runs; the reconciler ends the others. */
  async function endSome(trx: Transaction, agentId: string, now: Date): Promise<null> {
    const queued = Run.query(trx).where({ agentId, status: 'queued' }).orderBy('sequence')
    const runs = await queued.select(runFacts).limit(endedTogether).forUpdate()
    for (const run of runs) await writeEnding(trx, run, { status: 'cancelled', reason: 'AGENT_DELETED' }, now)
    if (runs.length < endedTogether) await fallAsleep(trx, agentId)
    return null
  }

  async function claimQueued(trx: Transaction, queue: AgentQueue, run: Run, agent: AgentForRun, by: By) {
    const cause = blockOf(agent, await billing.account(run.ownerId, trx), run.trigger)
    if (!cause) return start(trx, run, promptInForce(run, agent), by)
    await block(trx, queue, agent, cause, by.now)
    return null
  }

  /** From one thing that has to be paid to another it is the same block; its time goes on. */
  async function block(trx: Transaction, queue: AgentQueue, agent: AgentForRun, cause: BlockedCause, now: Date) {
    const { agentId, blockedCause: before } = queue
    const goesOn = before !== null && (before === 'paused') === (cause === 'paused')
    const blockedSince = goesOn ? queue.blockedSince : now
    await AgentQueue.query(trx).findById(agentId).patch({ awake: false, blockedCause: cause, blockedSince })
    // What blocks it may have ended in this very moment.
    await due.agent(trx, agentId)
    if (!goesOn && cause !== 'paused') await tell(trx, agent, cause, now)
  }

  async function tell(trx: Transaction, agent: AgentForRun, cause: Charge, since: Date) {
    const hours = Math.round(context.config.queueBlockedSeconds / 3600)
    await tellBlocked(trx, context.notifications, {
      agent,
      cause,
      key: since.toISOString(),
      title: `The runs of ${agent.name} wait`,
      consequence: `Until then the runs of the agent ${agent.name} stay queued, in their order; each fails when it has waited for ${hours} hours.`,
    })
  }

  return { claimNext }
}

/** When, and for which execution of the queue's workflow; null for a claim without one. */
interface By {
  now: Date
  claimedBy: string | null
}

/** Nothing blocks a queue any more that has nothing to start. */
const unblocked = { blockedCause: null, blockedSince: null }

async function fallAsleep(trx: Transaction, agentId: string): Promise<null> {
  await AgentQueue.query(trx)
    .findById(agentId)
    .patch({ awake: false, ...unblocked })
  return null
}

async function start(trx: Transaction, run: Run, prompt: NonNullable<Run['prompt']>, { now, claimedBy }: By) {
  const epoch = run.epoch + 1
  await AgentQueue.query(trx)
    .findById(run.agentId)
    .patch({ runningRunId: run.id, claimedBy, claimedEpoch: epoch, progressedAt: now, awake: true, ...unblocked })
  const changes = { status: 'running' as const, startedAt: now, epoch, prompt }
  await append(trx, run.id, now, [{ kind: 'started', data: { epoch, override: prompt.override } }], changes)
  return toInput(run, epoch)
}

const toInput = (run: Run, epoch: number): AgentRunInput => ({
  runId: run.id,
  agentId: run.agentId,
  ownerId: run.ownerId,
  trigger: run.trigger,
  sequence: run.sequence,
  epoch,
  steps: run.steps,
  requestId: run.requestId,
})
