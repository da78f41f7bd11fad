import type { AgentForRun, Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { OperatorsEnd } from '../temporal-inspection.ts'
import type { Temporal } from '../temporal.ts'
import type { AgentRunInput } from '../../workflows/messages.ts'
import { AgentQueue, lockQueue, type BlockedCause } from './agent-queue.ts'
import { blockOf, type Charge } from './blocked.ts'
import { endedTogether, type WriteEnding } from './end.ts'
import { endingOf, takeUpAgain, type Interrupted } from './interrupted.ts'
import { promptInForce } from './prompt-in-force.ts'
import { Run, runFacts } from './run.ts'
import { tellBlocked } from './tell-blocked.ts'
import { append } from './timeline.ts'

/**
 * Claims the agent's next run for its queue workflow: the oldest queued one, or the one that is marked running already,
 * which then goes on under a new epoch from its recorded step, unless an operator has ended it in Temporal: then it ends
 * as it would have under its queue. With nothing to do, or nothing that may be done now, the queue falls asleep and the
 * answer is null; the next accept wakes it, or the end of what blocks it. A claim may come twice from one execution of
 * the queue's workflow, and then has the same answer; one that comes after its execution's end takes no run from the
 * next. Throws when Temporal has to be asked, and is away.
 */
export function createClaim(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'queueBlockedSeconds'>
  agents: Agents
  billing: Billing
  notifications: Notifications
  logger: Logger
  temporal: Temporal
  writeEnding: WriteEnding
}) {
  const { database, clock, agents, billing, logger, temporal, writeEnding } = context

  /** Temporal is asked only about a run that is marked running, and never while the queue is locked. */
  async function claimNext(agentId: string, claimedBy: string | null = null): Promise<AgentRunInput | null> {
    let known: Known | undefined
    for (;;) {
      const claimed = await database.transaction((trx) => claimUnderLock(trx, { agentId, claimedBy }, known))
      if (claimed === null || 'sequence' in claimed) return claimed
      if (!(await isOpen({ agentId, claimedBy }))) return null
      known = { ...claimed, end: await temporal.inspection.endOf(claimed.runId, claimed.epoch) }
    }
  }

  /** Nobody waits for the answer of an execution that is over: the run belongs to whoever has come after it. */
  const isOpen = async ({ agentId, claimedBy }: Claimant): Promise<boolean> =>
    claimedBy === null || (await temporal.inspection.queue(agentId))?.executionId === claimedBy

  async function claimUnderLock(trx: Transaction, { agentId, claimedBy }: Claimant, known: Known | undefined) {
    const queue = await lockQueue(trx, agentId)
    const now = clock.now()
    if (queue.runningRunId) {
      const run = await Run.query(trx).findById(queue.runningRunId).select(runFacts).forUpdate().throwIfNotFound()
      const { id: runId, epoch } = run
      // Its first answer was lost, or it comes late from a worker that was frozen: the run is the execution's already.
      if (claimedBy !== null && queue.claimedBy === claimedBy) return toInput(run, epoch)
      if (known?.runId !== runId || known.epoch !== epoch) return { runId, epoch } satisfies Interrupted
      if (!known.end) return toInput(run, await takeUpAgain(trx, run, { now, claimedBy, logger }))
      const ending = endingOf(run, known.end)
      logger.warn({ repair: 'end-run', cause: `it was ${known.end} in Temporal`, agentId, runId }, 'a run was ended')
      await writeEnding(trx, run, ending, now)
    }
    return claimOldest(trx, queue, { now, claimedBy })
  }

  async function claimOldest(trx: Transaction, queue: AgentQueue, by: By): Promise<AgentRunInput | null> {
    const { agentId } = queue
    const agent = await agents.forRun(trx, agentId)
    if (!agent) return endSome(trx, agentId, by.now)
    const run = await Run.query(trx).where({ agentId, status: 'queued' }).orderBy('sequence').first().forUpdate()
    return run ? claimQueued(trx, queue, run, agent, by) : fallAsleep(trx, agentId)
  }

  /** Of a deleted agent nothing is started. A claim has not the time to end very many runs; the sweeper ends the others. */
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

/** Whose claim it is: an execution of the queue's workflow, or null for whoever claims without one. */
interface Claimant {
  agentId: string
  claimedBy: string | null
}

type By = Pick<Claimant, 'claimedBy'> & { now: Date }

/** What became of an interrupted run in Temporal. */
interface Known extends Interrupted {
  end: OperatorsEnd | null
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
  await Run.query(trx).findById(run.id).patch({ status: 'running', startedAt: now, epoch, prompt })
  await AgentQueue.query(trx)
    .findById(run.agentId)
    .patch({ runningRunId: run.id, claimedBy, progressedAt: now, awake: true, ...unblocked })
  await append(trx, run.id, now, [{ kind: 'started', data: { epoch, override: prompt.override } }])
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
