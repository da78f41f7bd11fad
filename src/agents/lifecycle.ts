import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database.ts'
import type { Schedules } from '../schedules/schedules.ts'
import { Agent } from './agent.ts'

/**
 * Pausing, resuming and removing agents. The schedule's part of each is in the same transaction; Temporal is told after
 * the commit, without anybody waiting for it.
 */
export function createLifecycle(context: {
  database: Database
  clock: Clock
  schedules: Pick<Schedules, 'noteChange' | 'syncSoon'>
}) {
  const { database, clock, schedules } = context

  async function change(id: string, patch: (current: Agent, now: Date) => Partial<Agent> | undefined): Promise<void> {
    if (await database.transaction((trx) => changeUnderLock(trx, id, patch))) schedules.syncSoon(id)
  }

  async function changeUnderLock(trx: Transaction, id: string, patch: Parameters<typeof change>[1]): Promise<boolean> {
    const current = await Agent.query(trx).findById(id).whereNull('deletedAt').forUpdate()
    const now = clock.now()
    const changes = current && patch(current, now)
    if (!changes) return false
    await Agent.query(trx).findById(id).patch(changes)
    return schedules.noteChange(trx, current, Object.assign(current.$clone(), changes), now)
  }

  return {
    /** From now on nothing of the agent is started or goes on; what arrives is queued. Pausing twice changes nothing. */
    pause: ({ id }: Agent): Promise<void> =>
      change(id, ({ pausedAt }, now) => (pausedAt === null ? { pausedAt: now } : undefined)),

    /** Lets it go on; `Runs.resumeAgent` is to follow. */
    resume: ({ id }: Agent): Promise<void> =>
      change(id, ({ pausedAt }) => (pausedAt === null ? undefined : { pausedAt: null })),

    /** Takes the agent away; its runs stay on record. From now on nothing is accepted or started for it. */
    remove: ({ id }: Agent): Promise<void> => change(id, (_current, now) => ({ deletedAt: now })),
  }
}
