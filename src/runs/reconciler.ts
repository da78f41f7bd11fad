import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Transaction } from '../database.ts'
import type { Lease } from '../lease.ts'
import type { Logger } from '../logger.ts'
import type { Polls } from '../temporal-inspection.ts'
import type { Temporal } from '../temporal.ts'
import type { Workers } from '../workers.ts'
import { AgentQueue, lockQueue } from './agent-queue.ts'
import { createContradictions } from './contradictions.ts'
import { repairOf, type Repair } from './ghosts.ts'
import { Run, runFacts } from './run.ts'
import { hasEnded } from './states.ts'
import { createStandstills, type Comparison, type StandingAgent } from './standstills.ts'
import { createStrays } from './strays.ts'
import { append } from './timeline.ts'

/** Agents that are looked at side by side. */
const abreast = 10

/** Open workflows are listed every so many rounds. */
const roundsPerListing = 3

/**
 * Compares the record with what Temporal has, and repairs what does not fit (docs/operations.md, "What repairs itself";
 * decisions, "Reconciler"). The record decides always. What is done is done only if the record is still what it was when
 * the two were compared, under the queue's lock, and to the very execution that was looked at. One process does it at a
 * time, workers and APIs alike: it must go on when all workers are wedged.
 */
export function createReconciler(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  lease: Lease
  workers: Pick<Workers, 'presence'>
  logger: Logger
}) {
  const { database, clock, config, temporal, lease, workers, logger } = context
  const { everySeconds } = config.reconcile
  const contradictions = createContradictions(context)
  const standstills = createStandstills(context)
  const strays = createStrays(context)
  let rounds = 0

  /** False if anything has happened to the agent since it was looked at. Its run goes on under a later epoch. */
  const disown = (agent: StandingAgent, cause: string): Promise<boolean> =>
    database.transaction(async (trx: Transaction) => {
      const { runningRunId, progressedAt } = await lockQueue(trx, agent.agentId)
      const seen = agent.run
      if (runningRunId !== (seen?.id ?? null)) return false
      if (!seen) return progressedAt.getTime() === agent.progressedAt.getTime()
      const run = await Run.query(trx).findById(seen.id).select(runFacts).forUpdate()
      if (run?.epoch !== seen.epoch || run.events !== seen.events || hasEnded(run.status)) return false
      const epoch = seen.epoch + 1
      await Run.query(trx).findById(run.id).patch({ epoch })
      await AgentQueue.query(trx).findById(agent.agentId).patch({ claimedBy: null })
      const note = `The run stood still: ${cause}. What Temporal had of it was ended, for another execution to take it up.`
      await append(trx, run.id, clock.now(), [{ kind: 'recovered', data: { epoch, step: run.steps, note } }])
      return true
    })

  /** A second look a moment later: a queue may just be learning of its child's end. */
  async function isStill({ agentId, queue, childId }: Comparison): Promise<boolean> {
    await delay(1000)
    const again = await temporal.inspection.queue(agentId)
    const isSame = again?.executionId === queue?.executionId && again?.children[0] === childId
    return isSame && (again?.attempts ?? 0) >= (queue?.attempts ?? 0)
  }

  /** Whether something was done. */
  async function carryOut(comparison: Comparison, { kind, cause }: Repair): Promise<boolean> {
    const { agentId, ownerId, run, queue, childId, facts } = comparison
    const { terminateQueue, terminateRun } = temporal.inspection
    const reason = `reconciler: ${cause}`
    if (kind === 'end-child') {
      if (childId && facts.child?.workflow) await terminateRun(childId, facts.child.workflow, reason)
      return true
    }
    if (kind === 'restart-queue' && !(await isStill(comparison))) return false
    // First, or the run would be ended by the cancellation that the end of its queue means to it.
    if (kind !== 'wake' && !(await disown(comparison, cause))) return false
    if (kind !== 'wake' && queue) await terminateQueue(agentId, queue, reason)
    if (kind === 'restart-run' && run && comparison.workflow) await terminateRun(run.id, comparison.workflow, reason)
    await temporal.wakeAgent({ agentId, ownerId })
    return true
  }

  async function lookAt(agent: StandingAgent, polls: Polls): Promise<void> {
    const { agentId } = agent
    try {
      const comparison = await standstills.compare(agent, polls)
      const repair = repairOf(comparison.facts)
      if (!repair || !(await carryOut(comparison, repair))) return
      const runId = agent.run?.id ?? comparison.childId
      logger.warn({ repair: repair.kind, cause: repair.cause, agentId, runId }, 'what stood still was repaired')
    } catch (error) {
      // On its own: one agent must not keep the round from the others.
      logger.warn({ err: error, agentId }, 'what stands still was not repaired')
    }
  }

  /** Temporal takes a frozen worker for one that asks, for a minute and more; the worker itself says nothing meanwhile. */
  async function whoAsks(): Promise<Polls> {
    const [polls, { present }] = await Promise.all([temporal.inspection.polls(), workers.presence()])
    return { ...polls, isPolled: polls.isPolled && present }
  }

  async function lookAtStandstills(): Promise<void> {
    const standing = await standstills.next()
    if (standing.length === 0) return
    const polls = await whoAsks()
    for (let first = 0; first < standing.length; first += abreast) {
      await Promise.all(standing.slice(first, first + abreast).map((agent) => lookAt(agent, polls)))
    }
  }

  /** One round. */
  async function reconcile(): Promise<void> {
    // Short, because the one who has it may be frozen; two rounds at once would not harm each other.
    if (!(await lease.hold('reconciler', everySeconds * 2 + 5))) return
    temporal.wakeSoon(await contradictions.repair())
    if (!(await temporal.isReachable())) return
    await lookAtStandstills()
    if (rounds++ % roundsPerListing === 0) await strays.end()
  }

  return { reconcile }
}

export type Reconciler = ReturnType<typeof createReconciler>
