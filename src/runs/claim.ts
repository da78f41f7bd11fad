import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database.ts'
import type { AgentRunInput } from '../../workflows/messages.ts'
import { AgentQueue, lockQueue } from './agent-queue.ts'
import { writeEnding } from './end.ts'
import { promptInForce } from './prompt-in-force.ts'
import { Run } from './run.ts'
import { append } from './timeline.ts'

/**
 * Claims the agent's next run for its queue workflow: the oldest queued one, or the one that is marked running already,
 * which then goes on under a new epoch from its recorded step. With nothing to do the queue falls asleep and the answer
 * is null; the next accept wakes it.
 */
export function createClaim(context: { database: Database; clock: Clock; agents: Agents }) {
  const { database, clock, agents } = context

  async function claimUnderLock(trx: Transaction, agentId: string): Promise<AgentRunInput | null> {
    const queue = await lockQueue(trx, agentId)
    const now = clock.now()
    if (queue.runningRunId) return takeUpAgain(trx, queue.runningRunId, now)
    const agent = await agents.forRun(trx, agentId)
    for (;;) {
      const run = await Run.query(trx).where({ agentId, status: 'queued' }).orderBy('sequence').first().forUpdate()
      if (!run) return fallAsleep(trx, agentId)
      if (agent) return start(trx, run, promptInForce(run, agent), now)
      await writeEnding(trx, run, { status: 'cancelled', reason: 'AGENT_DELETED' }, now)
    }
  }

  return { claimNext: (agentId: string) => database.transaction((trx) => claimUnderLock(trx, agentId)) }
}

async function fallAsleep(trx: Transaction, agentId: string): Promise<null> {
  await AgentQueue.query(trx).findById(agentId).patch({ awake: false })
  return null
}

async function start(trx: Transaction, run: Run, prompt: NonNullable<Run['prompt']>, now: Date) {
  const epoch = run.epoch + 1
  await Run.query(trx).findById(run.id).patch({ status: 'running', startedAt: now, epoch, prompt })
  await AgentQueue.query(trx).findById(run.agentId).patch({ runningRunId: run.id, progressedAt: now, awake: true })
  await append(trx, run.id, now, [{ kind: 'started', data: { epoch, override: prompt.override } }])
  return toInput(run, epoch)
}

async function takeUpAgain(trx: Transaction, runId: string, now: Date) {
  const run = await Run.query(trx).findById(runId).forUpdate().throwIfNotFound()
  const epoch = run.epoch + 1
  await Run.query(trx).findById(runId).patch({ epoch })
  await AgentQueue.query(trx).findById(run.agentId).patch({ progressedAt: now, awake: true })
  const note = 'The run was taken up again by a new execution; it goes on from its last recorded step.'
  await append(trx, runId, now, [{ kind: 'recovered', data: { epoch, step: run.steps, note } }])
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
