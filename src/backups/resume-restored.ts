import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { lockQueue } from '../runs/agent-queue.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createDue } from '../runs/due.ts'
import { noteChange } from '../schedules/note-change.ts'

interface Context {
  database: Database
  clock: Clock
  config: { scheduleCatchUpSeconds: number }
}

/**
 * Resumes all agents that a restore has paused, one after the other, as their owners would. Safe to repeat, and while the
 * platform runs. An agent over its tier's limit stays paused for that. Returns how many go on.
 */
export async function resumeRestored(context: Context): Promise<number> {
  const { database } = context
  const waiting = await Agent.query(database).where({ pausedReason: 'RESTORED' }).whereNull('deletedAt').select('id')
  let resumed = 0
  for (const { id } of waiting) if (await database.transaction((trx) => resume(trx, id, context))) resumed += 1
  return resumed
}

async function resume(trx: Transaction, id: string, { database, clock, config }: Context): Promise<boolean> {
  await lockQueue(trx, id)
  const agent = await Agent.query(trx)
    .findById(id)
    .where({ pausedReason: 'RESTORED', deletedAt: null })
    .forNoKeyUpdate()
  if (!agent) return false
  const now = clock.now()
  // A command runs this, and nobody reads its counters.
  const metrics = createMetrics({ config: { metrics: { token: undefined } } })
  const changes = { pausedAt: agent.exceedingSince, pausedReason: null }
  await Agent.query(trx).findById(id).patch(changes)
  await createDue({ database, clock }).agent(trx, id)
  const after = Object.assign(agent.$clone(), changes)
  await noteChange(trx, agent, after, { now, catchUpMs: config.scheduleCatchUpSeconds * 1000, metrics })
  return changes.pausedAt === null
}
