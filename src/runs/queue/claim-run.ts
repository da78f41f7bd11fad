import { canaryAgentId } from '../../owners/system-owner.ts'
import { isDeepStrictEqual } from 'node:util'
import type { AgentForRun, Agents } from '../../agents/agents.ts'
import type { Billing } from '../../billing/billing.ts'
import type { CapOf } from '../../billing/account-status.ts'
import { latest, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { agentPage } from '../../console-pages.ts'
import { fromColumn } from '../../database/any-text.ts'
import { afterCommit } from '../../database/after-commit.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { columnOf, rowOf } from '../../database/row.ts'
import { statement } from '../../database/statement.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { ClaimedRun } from '../../../workflows/messages.ts'
import { Agent } from '../../agents/agent.ts'
import { AgentQueue, lockQueue, type BlockedCause } from '../agent-queue.ts'
import { blockOf, isBlockBounded, type Charge } from './blocked.ts'
import { endBatch, type WriteEnding } from '../ending/end-run.ts'
import type { Due } from '../due.ts'
import { promptInForce } from './prompt-in-force.ts'
import { AgentPrompt, promptFields } from '../agent-prompt.ts'
import { Run, selectingRun, type RunFields } from '../run.ts'
import { notifyBlocked } from './notify-blocked.ts'
import { append } from '../timeline.ts'
import { quotedName } from '../../names.ts'

/**
 * Claims the agent's next run for its queue's workflow: the oldest queued run, or a begun run that the reconciler
 * fenced off from a lost execution, which resumes from its last recorded step. Returns null if nothing may start; the
 * queue then sleeps until the next accept or the end of the block. Repeated claims by one execution return the same
 * result, because a frozen worker may hold several attempts of one claim. A run claimed by another execution is left
 * alone; the reconciler notices if that execution is gone.
 */
export function createClaim(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'queueBlockedSeconds'>
  agents: Agents
  billing: Billing
  metrics: Pick<Metrics, 'startLagSeconds'>
  notifications: Notifications
  due: Due
  writeEnding: WriteEnding
}) {
  const { database, clock, agents, billing, due, writeEnding, metrics } = context

  const claimNext = (agentId: string, claimedBy: string | null = null): Promise<ClaimedRun | null> =>
    database.transaction((trx) => claimWithin(trx, agentId, claimedBy))

  /** The same in the caller's transaction. */
  async function claimWithin(trx: Transaction, agentId: string, claimedBy: string | null): Promise<ClaimedRun | null> {
    const queue = await lockQueue(trx, agentId)
    const now = clock.now()
    return queue.runningRunId
      ? claimBegun(trx, queue, queue.runningRunId, claimedBy)
      : claimOldest(trx, queue, { now, claimedBy })
  }

  /** Only the claimant gets the run until the reconciler raises its epoch. Then only other executions do. */
  async function claimBegun(trx: Transaction, queue: AgentQueue, runId: string, claimedBy: string | null) {
    const run = await Run.query(trx).findById(runId).throwIfNotFound()
    const isFenced = queue.claimedEpoch !== null && queue.claimedEpoch < run.epoch
    const isClaimant = queue.claimedBy === claimedBy
    if (claimedBy !== null && isFenced === isClaimant) return null
    await AgentQueue.query(trx).findById(queue.agentId).patch({ claimedBy, claimedEpoch: run.epoch })
    const { name } = await Agent.query(trx).findById(queue.agentId).select('name').throwIfNotFound()
    return toClaimed(run, run.epoch, name)
  }

  async function claimOldest(trx: Transaction, queue: AgentQueue, claim: Claim): Promise<ClaimedRun | null> {
    const { agentId } = queue
    const agent = await agents.forRun(trx, agentId)
    if (!agent) return endSome(trx, agentId, claim.now)
    const oldest = await oldestOf(trx, agentId)
    return oldest ? claimQueued(trx, queue, oldest, agent, claim) : fallAsleep(trx, agentId)
  }

  /** A deleted agent starts nothing. A claim is too short to end many runs, so the reconciler ends the rest. */
  async function endSome(trx: Transaction, agentId: string, now: Date): Promise<null> {
    const queued = Run.query(trx).where({ agentId, status: 'queued' }).orderBy('sequence')
    const runs = await queued.limit(endBatch).forUpdate()
    for (const run of runs) await writeEnding(trx, run, { status: 'cancelled', reason: 'AGENT_DELETED' }, now)
    if (runs.length < endBatch) await fallAsleep(trx, agentId)
    return null
  }

  async function claimQueued(trx: Transaction, queue: AgentQueue, oldest: Oldest, agent: AgentForRun, claim: Claim) {
    const { run } = oldest
    const standing = await billing.accountFor(agent, trx)
    const cause = blockOf(agent, standing, run.trigger)
    if (!cause) {
      noteLag(trx, queue, oldest.run, claim.now)
      return start(trx, oldest, agent, claim, billing.storedBytes)
    }
    await block(trx, queue, agent, { cause, cap: standing.cap }, claim.now)
    return null
  }

  /** A run behind a block starts late for its owner's sake. */
  function noteLag(
    trx: Transaction,
    { blockedCause, progressedAt }: AgentQueue,
    { agentId, acceptedAt }: Run,
    now: Date,
  ): void {
    if (blockedCause !== null || agentId === canaryAgentId) return
    const lagMs = now.getTime() - latest(acceptedAt, progressedAt).getTime()
    afterCommit(trx, () => metrics.startLagSeconds.observe(Math.max(0, lagMs) / 1000))
  }

  /** A block whose charge changes continues and keeps its start. */
  async function block(trx: Transaction, queue: AgentQueue, agent: AgentForRun, by: Block, now: Date) {
    const { cause, cap } = by
    const { agentId, blockedCause: before } = queue
    const continues = before !== null && (before === 'paused') === (cause === 'paused')
    const blockedSince = continues ? queue.blockedSince : now
    await AgentQueue.query(trx).findById(agentId).patch({ awake: false, blockedCause: cause, blockedSince })
    // The cause may have just ended.
    await due.agent(trx, agentId)
    if (!continues && cause !== 'paused') await notify(trx, agent, { cause, cap }, now)
  }

  async function notify(trx: Transaction, agent: AgentForRun, by: Block<Charge>, since: Date) {
    const hours = Math.round(context.config.queueBlockedSeconds / 3600)
    const end = isBlockBounded(by.cause, by.cap) ? ` Each run fails after waiting ${hours} hours.` : ''
    await notifyBlocked(trx, context.notifications, {
      agent,
      ...by,
      key: since.toISOString(),
      consolePage: agentPage(agent.id),
      title: `Runs are waiting: agent ${quotedName(agent.name)}`,
      consequence: `Until then, the runs of the agent ${quotedName(agent.name)} stay queued in order.${end}`,
    })
  }

  return { claimNext, claimWithin }
}

/** What blocks a queue, and the cap behind it, if any. */
interface Block<Cause = BlockedCause> {
  cause: Cause
  cap: CapOf | null
}

/** The time, and the execution of the queue's workflow that claims; null without one. */
interface Claim {
  now: Date
  claimedBy: string | null
}

/** A queue with nothing to start is not blocked. */
const unblocked = { blockedCause: null, blockedSince: null }

async function fallAsleep(trx: Transaction, agentId: string): Promise<null> {
  await AgentQueue.query(trx)
    .findById(agentId)
    .patch({ awake: false, ...unblocked })
  return null
}

async function start(trx: Transaction, oldest: Oldest, agent: AgentForRun, { now, claimedBy }: Claim, stored: Stored) {
  const { run, action } = oldest
  stored.note(run.ownerId, await keepPrompt(trx, oldest, agent))
  const prompt = promptInForce(run.trigger, { action }, agent)
  const epoch = run.epoch + 1
  await takeStatement(trx, { agentId: run.agentId, runId: run.id, claimedBy, epoch, now })
  const changes = { status: 'running' as const, startedAt: now, epoch, agentVersion: agent.version }
  await append(trx, run.id, now, [{ kind: 'started', data: { epoch, override: prompt.override } }], changes)
  return toClaimed(run, epoch, agent.name)
}

type Stored = Pick<Billing['storedBytes'], 'note'>

/** The agent's oldest queued run, which is locked, the action of its payload, and the instructions of the latest run. */
interface Oldest {
  run: Run
  action: string | null
  latest: Instructions | null
}

type Instructions = ReturnType<typeof instructionsOf>

async function oldestOf(trx: Transaction, agentId: string): Promise<Oldest | undefined> {
  const { rows } = await oldestStatement(trx, { agentId })
  if (!rows[0]) return undefined
  const { action, latest, ...fields } = rows[0]
  return { run: rowOf(Run, fields), action: action && fromColumn(action), latest }
}

const oldestStatement = statement<RunFields & { action: string | null; latest: Instructions | null }>(`
  select ${selectingRun}, (select i.action from run_inputs i where i.run_id = r.id) as action,
         (select json_build_object(${promptFields.map((field) => `'${field}', p.${columnOf(field)}`).join(', ')})
            from agent_prompts p where p.agent_id = :agentId order by p.since_sequence desc limit 1) as latest
    from runs r where r.agent_id = :agentId and r.status = 'queued' order by r.sequence limit 1 for update`)

/** A queue that has started a run is awake and not blocked. */
const takeStatement = statement(`
  update agent_queues
     set running_run_id = :runId, claimed_by = :claimedBy, claimed_epoch = :epoch, progressed_at = :now, awake = true,
         blocked_cause = null, blocked_since = null
   where agent_id = :agentId`)

/** Stores the run's instructions, so later changes of the agent do not affect it. Returns the bytes written. */
async function keepPrompt(trx: Transaction, { run, latest }: Oldest, agent: AgentForRun): Promise<number> {
  const { agentId, sequence } = run
  const wanted = instructionsOf(agent)
  if (latest && isDeepStrictEqual(latest, wanted)) return 0
  await AgentPrompt.query(trx).insert({ agentId, sinceSequence: sequence, ...wanted })
  return Buffer.byteLength(JSON.stringify(wanted))
}

const instructionsOf = (given: AgentForRun) => ({
  systemPrompt: given.systemPrompt,
  webhookSchema: given.webhookSchema,
  allowActionOverride: given.allowActionOverride,
  model: given.model,
  fallbackModel: given.fallbackModel,
  outputSchema: given.outputSchema,
  summarizes: given.summarizes,
})

const toClaimed = (run: Run, epoch: number, name: string): ClaimedRun => ({
  runId: run.id,
  agentId: run.agentId,
  ownerId: run.ownerId,
  trigger: run.trigger,
  sequence: run.sequence,
  epoch,
  steps: run.steps,
  requestId: run.requestId,
  agentName: quotedName(name),
})
