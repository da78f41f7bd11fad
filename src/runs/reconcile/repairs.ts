import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import { AgentQueue, lockQueue } from '../agent-queue.ts'
import type { WriteEnding } from '../ending/end-run.ts'
import { Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import { isUnapproved } from '../step/waiting-calls.ts'
import { append } from '../timeline.ts'
import type { Action } from './action.ts'
import { correctQueue } from './queue-consistency.ts'
import type { TemporalState } from './diagnose.ts'
import type { AgentFacts } from './facts.ts'

type Of<Kind extends Action['kind']> = Extract<Action, { kind: Kind }>

/** Does what the rule says, under the queue's lock, if the record has not changed since. Each repair logs one line. */
export function createRepairs(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  logger: Logger
  metrics: Pick<Metrics, 'repairs'>
  writeEnding: WriteEnding
  cancelSomeOf: (agentId: string) => Promise<void>
}) {
  const { database, clock, config, temporal, logger, writeEnding, cancelSomeOf, metrics } = context
  const { stallSeconds } = config.reconcile

  const underLock = <T>(agentId: string, work: (trx: Transaction, queue: AgentQueue) => Promise<T>): Promise<T> =>
    database.transaction(async (trx) => {
      // A lock held by a frozen process must not delay other agents.
      await trx.raw("set local lock_timeout = '2s'")
      return work(trx, await lockQueue(trx, agentId))
    })

  const wake = ({ agent }: AgentFacts): Promise<void> =>
    temporal.wakeAgent({ agentId: agent.id, ownerId: agent.ownerId, agentName: agent.name })

  /** Ends a run in the record, under a new epoch, so that nothing in progress can write for it. */
  async function end(facts: AgentFacts, { runId, status, reason, repair, cause }: Of<'end'>): Promise<void> {
    const { agent } = facts
    const before = await underLock(agent.id, async (trx, queue) => {
      const run = await Run.query(trx).findById(runId).forUpdate()
      if (!run || hasEnded(run.status) || !isUnchanged(run, queue, facts)) return undefined
      await Run.query(trx)
        .findById(runId)
        .patch({ epoch: run.epoch + 1 })
      await writeEnding(trx, run, { status, reason }, clock.now())
      return run.status
    })
    if (before && repair) {
      metrics.repairs.inc({ kind: repair })
      logger.warn({ agentId: agent.id, runId, repair, cause }, 'recorded the end of a run')
    }
    if (before && before !== 'queued') await temporal.terminateRun(runId, cause)
  }

  /** The record ends the wait first. If the signal is lost, the run is found stalled like any other. */
  async function resume({ agent }: AgentFacts, { runId }: Of<'resume'>): Promise<void> {
    await underLock(agent.id, async (trx) => {
      await trx.raw(freeStatement, { runId })
      await Run.query(trx).findById(runId).where({ status: 'waiting' }).patch({ waitingUntil: clock.now() })
    })
    await temporal.resumeRun(runId)
  }

  async function start(facts: AgentFacts, { cause }: Of<'start'>): Promise<void> {
    const now = clock.now()
    await underLock(facts.agent.id, async (trx, queue) => {
      const progressedAt = queue.awake ? queue.progressedAt : now
      await AgentQueue.query(trx).findById(queue.agentId).patch({ awake: true, signalledAt: now, progressedAt })
    })
    metrics.repairs.inc({ kind: 'start' })
    logger.info({ agentId: facts.agent.id, repair: 'start', cause }, 'woke a queue')
    await wake(facts)
  }

  /** Raises the epoch of the agent's run. False if the agent changed since it was read. */
  const fence = (facts: AgentFacts, cause: string): Promise<boolean> =>
    underLock(facts.agent.id, async (trx, queue) => {
      const { head } = facts
      if (queue.runningRunId !== (head?.id ?? null)) return false
      if (queue.progressedAt.getTime() !== facts.queue.progressedAt.getTime()) return false
      const run = head && (await Run.query(trx).findById(head.id).forUpdate())
      if (head && (run?.epoch !== head.epoch || run.events !== head.events)) return false
      await AgentQueue.query(trx)
        .findById(queue.agentId)
        .patch({ awake: true, claimedEpoch: queue.claimedEpoch ?? head?.epoch ?? null })
      if (run) await beginEpoch(trx, run, cause, clock.now())
      return true
    })

  async function restart(
    facts: AgentFacts,
    { cause }: Of<'restart'>,
    { queue, workflow }: TemporalState,
  ): Promise<void> {
    const { agent, head } = facts
    // Fence first: terminating the queue cancels its child, which would end the run.
    if (!(await fence(facts, cause))) return
    metrics.repairs.inc({ kind: 'restart' })
    logger.warn({ agentId: agent.id, runId: head?.id, repair: 'restart', cause }, 'restarted a stalled agent')
    const { terminateQueue, terminateRun } = temporal.inspection
    if (queue) await terminateQueue(agent.id, queue, cause)
    for (const childId of queue?.children ?? []) if (childId !== head?.id) await temporal.terminateRun(childId, cause)
    if (head && workflow) await terminateRun(head.id, workflow, cause)
    await wake(facts)
  }

  async function correct(facts: AgentFacts): Promise<void> {
    const mustWake = await underLock(facts.agent.id, (trx, queue) => correctQueue(trx, queue, context))
    if (mustWake) await wake(facts)
  }

  return {
    /** Returns when to check the agent again; null if not before something changes. */
    async apply(facts: AgentFacts, action: Action, seen?: TemporalState): Promise<Date | null> {
      if (action.kind === 'rest') return null
      if (action.kind === 'leave') return action.until
      const checkAt = later(clock.now(), stallSeconds)
      if (action.kind === 'correct') await correct(facts)
      if (action.kind === 'cancel') await cancelSomeOf(facts.agent.id)
      if (action.kind === 'end') await end(facts, action)
      if (action.kind === 'resume') await resume(facts, action)
      if (action.kind === 'start') await start(facts, action)
      if (action.kind === 'restart' && seen) await restart(facts, action, seen)
      return action.kind === 'start' || action.kind === 'restart' || action.kind === 'resume' ? checkAt : clock.now()
    },
  }
}

/** Whether the run is still unclaimed and, if queued, still blocked. */
function isUnchanged(run: Run, { blockedCause, awake }: AgentQueue, { head, next, queue }: AgentFacts): boolean {
  const seen = [head, next].find((one) => one?.id === run.id)
  return run.epoch === seen?.epoch && (run.status !== 'queued' || (blockedCause === queue.blockedCause && !awake))
}

/** Resumes the run from its last recorded step and fences off older executions. Not progress. */
async function beginEpoch(trx: Transaction, run: Run, cause: string, now: Date): Promise<void> {
  const epoch = run.epoch + 1
  const note = `The run was stalled because ${cause}. A new execution will resume the run from its last recorded step.`
  const changes = { epoch, progressedAt: run.progressedAt }
  await append(trx, run.id, now, [{ kind: 'recovered', data: { epoch, step: run.steps, note } }], changes)
}

/** Retries a credential in any case: sending the call shows whether it works. */
const freeStatement = `
  update tool_calls c set wait_cause = null, not_before = null
   where c.subject_id = :runId and c.status in ('planned', 'started')
     and (c.wait_cause = 'credential' or c.wait_cause = 'approval' and not ${isUnapproved})`
