import type { AgentForRun, Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { AgentRunInput } from '../../workflows/messages.ts'
import { AgentQueue, lockQueue, type BlockedCause } from './agent-queue.ts'
import { blockOf, tellingOfBlock } from './blocked.ts'
import type { WriteEnding } from './end.ts'
import { promptInForce } from './prompt-in-force.ts'
import { Run, runFacts } from './run.ts'
import { append } from './timeline.ts'

/**
 * Claims the agent's next run for its queue workflow: the oldest queued one, or the one that is marked running already,
 * which then goes on under a new epoch from its recorded step. With nothing to do, or nothing that may be done now, the
 * queue falls asleep and the answer is null; the next accept wakes it, or the end of what blocks it.
 */
export function createClaim(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'queueBlockedSeconds'>
  agents: Agents
  billing: Billing
  notifications: Notifications
  logger: Logger
  writeEnding: WriteEnding
}) {
  const { database, clock, agents, billing, logger, writeEnding } = context

  async function claimUnderLock(trx: Transaction, agentId: string): Promise<AgentRunInput | null> {
    const queue = await lockQueue(trx, agentId)
    const now = clock.now()
    if (queue.runningRunId) return takeUpAgain(trx, queue.runningRunId, now, logger)
    const agent = await agents.forRun(trx, agentId)
    for (;;) {
      const run = await Run.query(trx).where({ agentId, status: 'queued' }).orderBy('sequence').first().forUpdate()
      if (!run) return fallAsleep(trx, agentId)
      if (!agent) await writeEnding(trx, run, { status: 'cancelled', reason: 'AGENT_DELETED' }, now)
      else return claimQueued(trx, queue, run, agent, now)
    }
  }

  async function claimQueued(trx: Transaction, queue: AgentQueue, run: Run, agent: AgentForRun, now: Date) {
    const cause = blockOf(agent, await billing.account(run.ownerId, trx), run.trigger)
    if (!cause) return start(trx, run, promptInForce(run, agent), now)
    await block(trx, queue, agent, cause, now)
    return null
  }

  /** From one thing that has to be paid to another it is the same block; its time goes on. */
  async function block(trx: Transaction, queue: AgentQueue, agent: AgentForRun, cause: BlockedCause, now: Date) {
    const { agentId, blockedCause: before } = queue
    const goesOn = before !== null && (before === 'paused') === (cause === 'paused')
    const blockedSince = goesOn ? queue.blockedSince : now
    await AgentQueue.query(trx).findById(agentId).patch({ awake: false, blockedCause: cause, blockedSince })
    if (!goesOn && cause !== 'paused') await tell(trx, agent, cause, now)
  }

  async function tell(trx: Transaction, agent: AgentForRun, cause: Exclude<BlockedCause, 'paused'>, since: Date) {
    const hours = Math.round(context.config.queueBlockedSeconds / 3600)
    await context.notifications.tell(trx, {
      ownerId: agent.ownerId,
      kind: 'queue_blocked',
      subjectId: agent.id,
      key: since.toISOString(),
      title: `The runs of ${agent.name} wait`,
      message: `${tellingOfBlock[cause]} Until then the runs of the agent ${agent.name} stay queued, in their order; each fails when it has waited for ${hours} hours.`,
    })
  }

  return { claimNext: (agentId: string) => database.transaction((trx) => claimUnderLock(trx, agentId)) }
}

/** Nothing blocks a queue any more that has nothing to start. */
const unblocked = { blockedCause: null, blockedSince: null }

async function fallAsleep(trx: Transaction, agentId: string): Promise<null> {
  await AgentQueue.query(trx)
    .findById(agentId)
    .patch({ awake: false, ...unblocked })
  return null
}

async function start(trx: Transaction, run: Run, prompt: NonNullable<Run['prompt']>, now: Date) {
  const epoch = run.epoch + 1
  await Run.query(trx).findById(run.id).patch({ status: 'running', startedAt: now, epoch, prompt })
  await AgentQueue.query(trx)
    .findById(run.agentId)
    .patch({ runningRunId: run.id, progressedAt: now, awake: true, ...unblocked })
  await append(trx, run.id, now, [{ kind: 'started', data: { epoch, override: prompt.override } }])
  return toInput(run, epoch)
}

/** Its queue asks anew although the run has not ended: the execution before is gone, or nobody listens to it. */
async function takeUpAgain(trx: Transaction, runId: string, now: Date, logger: Logger) {
  const run = await Run.query(trx).findById(runId).select(runFacts).forUpdate().throwIfNotFound()
  const epoch = run.epoch + 1
  await Run.query(trx).findById(runId).patch({ epoch })
  await AgentQueue.query(trx).findById(run.agentId).patch({ progressedAt: now, awake: true })
  const cause = 'the execution before was ended in Temporal, or lost there'
  const note = `The run was taken up again by a new execution, because ${cause}; it goes on from its last recorded step.`
  await append(trx, runId, now, [{ kind: 'recovered', data: { epoch, step: run.steps, note } }])
  logger.warn({ repair: 'take-up', cause, agentId: run.agentId, runId, epoch }, 'a run was taken up again')
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
