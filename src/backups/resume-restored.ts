import { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { lockQueue } from '../runs/agent-queue.ts'
import type { Due } from '../runs/due.ts'
import type { Schedules } from '../schedules/schedules.ts'

interface Context {
  database: Database
  clock: Clock
  due: Pick<Due, 'agent'>
  schedules: Pick<Schedules, 'noteChange'>
}

/**
 * Resumes all agents that a restore has paused, one after the other, as their owners would. Safe to repeat, and while
 * the platform runs. An agent over its tier's limit stays paused for that. Returns how many go on.
 */
export async function resumeRestored(context: Context): Promise<number> {
  const { database } = context
  const waiting = await Agent.query(database).where({ pausedReason: 'RESTORED' }).whereNull('deletedAt').select('id')
  let resumed = 0
  for (const { id } of waiting) if (await database.transaction((trx) => resume(trx, id, context))) resumed += 1
  return resumed
}

async function resume(trx: Transaction, id: string, { clock, due, schedules }: Context): Promise<boolean> {
  await lockQueue(trx, id)
  const agent = await Agent.query(trx)
    .findById(id)
    .where({ pausedReason: 'RESTORED', deletedAt: null })
    .forNoKeyUpdate()
  if (!agent) return false
  const now = clock.now()
  const changes = { pausedAt: agent.exceedingSince, pausedReason: null }
  await Agent.query(trx).findById(id).patch(changes)
  await due.agent(trx, id)
  const after = Object.assign(agent.$clone(), changes)
  await schedules.noteChange(trx, agent, after, now)
  return changes.pausedAt === null
}
