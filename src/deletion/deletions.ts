import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import { later, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Vault } from '../vault/vault.ts'
import type { Workspaces } from '../workspaces/workspaces.ts'
import { createDeleteRows, type Kind } from './delete-rows.ts'
import { createCloseAccount } from './close-account.ts'
import { createStopOwner } from './stop-owner.ts'
import { beginRound } from '../database/batches.ts'

/** How long one owner's turn takes, in milliseconds. The rest waits for the next turn. */
const turnMs = 1000

/**
 * Seconds until an owner's next turn: after a killed process (`taken`), while runs are ending (`busy`), and for the
 * final check (`last`).
 */
const retrySeconds = { taken: 60, busy: 2, last: 600 }

/** An owner that this process has claimed for a while. */
interface ClaimedOwner {
  ownerId: string
  kind: Kind
  emptiedAt: Date | null
}

/** The outcome of a turn. `more`: rows are left, so continue immediately. `busy`: wait until active work has ended. */
type Outcome = 'more' | 'busy' | 'emptied' | 'ended'

/**
 * Deletes everything that workspaces and accounts own (docs/operate/storage.md, "When an owner is deleted"). Owners
 * take turns of about a second, in small transactions, so other tenants do not wait. The tables alone say what is left,
 * so any process can continue after another is killed.
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
  const stop = createStopOwner(context)
  const emptying = createDeleteRows(context)
  const leaving = createCloseAccount(context)

  async function take(): Promise<ClaimedOwner | undefined> {
    const now = clock.now()
    const { rows } = await database.raw<{ rows: ClaimedOwner[] }>(takeStatement, {
      now,
      until: later(now, retrySeconds.taken),
    })
    return rows[0]
  }

  async function turn({ ownerId, kind, emptiedAt }: ClaimedOwner, isOver: () => boolean): Promise<Outcome> {
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

  /** Records the next turn and the progress. */
  async function note({ ownerId }: ClaimedOwner, outcome: Outcome): Promise<void> {
    const now = clock.now()
    const seconds = { more: 0, busy: retrySeconds.busy, emptied: retrySeconds.last, ended: 0 }[outcome]
    const reached = { ...(outcome === 'emptied' && { emptiedAt: now }), ...(outcome === 'ended' && { endedAt: now }) }
    await database('deletions')
      .where({ ownerId })
      .update({ nextAt: later(now, seconds), ...reached })
    if (outcome === 'emptied') logger.info({ ownerId }, "deleted all of an owner's data")
  }

  return {
    /** One round. Several processes can run rounds at the same time: each claims different owners. */
    async round(stopping: AbortSignal): Promise<void> {
      const isRoundOver = beginRound(stopping)
      while (!isRoundOver()) {
        const taken = await take()
        if (!taken) return
        try {
          await note(taken, await turn(taken, beginRound(stopping, turnMs)))
        } catch (error) {
          logger.warn({ err: error, ownerId: taken.ownerId }, 'failed to delete an owner; will retry')
        }
      }
    },
  }
}

/** The owner that has waited longest comes first. The account can no longer be restored. */
const takeStatement = `
  update deletions d set next_at = :until, begun_at = coalesce(d.begun_at, :now)
    from owners o
   where o.id = d.owner_id and d.owner_id = (
           select owner_id from deletions where next_at <= :now and due_at <= :now and ended_at is null
            order by next_at limit 1 for update skip locked)
  returning d.owner_id as "ownerId", o.kind, d.emptied_at as "emptiedAt"`
