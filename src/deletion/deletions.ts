import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { later, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Vault } from '../vault/vault.ts'
import type { Workspaces } from '../workspaces/workspaces.ts'
import { createEmptying, type Kind } from './emptying.ts'
import { createLeaving } from './leaving.ts'
import { createStop } from './stop.ts'
import { beginRound } from '../database/batches.ts'

/** How long one owner's turn lasts, in milliseconds. The rest waits for the next one. */
const turnMs = 1000

/** Seconds after which an owner is looked at again: by another process if this one was killed, while something has to end first, and once more at the end. */
const again = { taken: 60, busy: 2, last: 600 }

/** An owner that is this process's for a while. */
interface Taken {
  ownerId: string
  kind: Kind
  emptiedAt: Date | null
}

/** What a turn came to. `more`: there is more to do at once; `busy`: something has to end first. */
type Outcome = 'more' | 'busy' | 'emptied' | 'ended'

/**
 * Deletes everything of workspaces and accounts (docs/operate/storage.md, "When an owner is deleted"). Owners take
 * turns, each of about a second and of small transactions, so no other tenant waits. What is left to do is always read
 * from the tables themselves: any process may continue at any moment where another was killed.
 */
export function createDeletions(context: {
  database: Database
  clock: Clock
  logger: Logger
  agents: Pick<Agents, 'remove'>
  vault: Pick<Vault, 'remove'>
  billing: Pick<Billing, 'paymentMethods' | 'subscriptions'>
  workspaces: Pick<Workspaces, 'remove'>
}) {
  const { database, clock, logger } = context
  const stop = createStop(context)
  const emptying = createEmptying(context)
  const leaving = createLeaving(context)

  async function take(): Promise<Taken | undefined> {
    const now = clock.now()
    const { rows } = await database.raw<{ rows: Taken[] }>(takeStatement, { now, until: later(now, again.taken) })
    return rows[0]
  }

  async function turn({ ownerId, kind, emptiedAt }: Taken, isOver: () => boolean): Promise<Outcome> {
    if (emptiedAt) return (await emptying.clear(ownerId, kind, isOver)) ? 'ended' : 'more'
    if (kind === 'user') {
      await leaving.closeAccount(ownerId)
      if (await leaving.hasWorkspaces(ownerId)) return 'busy'
    }
    if (await stop.stopAgents(ownerId)) return 'more'
    await stop.stopAnswers(ownerId)
    if (await stop.isBusy(ownerId)) return 'busy'
    if (await stop.dropEntries(ownerId, isOver)) return 'more'
    await stop.dropCards(ownerId)
    if (!(await emptying.clear(ownerId, kind, isOver))) return 'more'
    return (await emptying.close(ownerId, kind)) ? 'emptied' : 'more'
  }

  /** When the owner is looked at next, and what is known since now. */
  async function note({ ownerId }: Taken, outcome: Outcome): Promise<void> {
    const now = clock.now()
    const seconds = { more: 0, busy: again.busy, emptied: again.last, ended: 0 }[outcome]
    const reached = { ...(outcome === 'emptied' && { emptiedAt: now }), ...(outcome === 'ended' && { endedAt: now }) }
    await database('deletions')
      .where({ ownerId })
      .update({ nextAt: later(now, seconds), ...reached })
    if (outcome === 'emptied') logger.info({ ownerId }, 'deleted all data of an owner')
  }

  return {
    /** One round. Several processes may do theirs at once: each takes other owners. */
    async round(stopping: AbortSignal): Promise<void> {
      const isRoundOver = beginRound(stopping)
      while (!isRoundOver()) {
        const taken = await take()
        if (!taken) return
        try {
          await note(taken, await turn(taken, beginRound(stopping, turnMs)))
        } catch (error) {
          logger.warn({ err: error, ownerId: taken.ownerId }, 'failed to delete an owner; it will be retried')
        }
      }
    },
  }
}

/** Whoever waits for longest comes first. From now on the account cannot be restored. */
const takeStatement = `
  update deletions d set next_at = :until, begun_at = coalesce(d.begun_at, :now)
    from owners o
   where o.id = d.owner_id and d.owner_id = (
           select owner_id from deletions where next_at <= :now and due_at <= :now and ended_at is null
            order by next_at limit 1 for update skip locked)
  returning d.owner_id as "ownerId", o.kind, d.emptied_at as "emptiedAt"`
