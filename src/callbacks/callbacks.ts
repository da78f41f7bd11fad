import type { Agent } from '../agents/agent.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { statement } from '../database/statement.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { CallbackAttempt } from './callback-attempt.ts'
import { Callback, type CallbackStatus } from './callback.ts'
import { failureOf } from './failure.ts'

/** The most attempts shown, latest first. A day has about thirty. */
const maxShown = 100

/** A callback as its owner sees it. */
type ShownCallback = Callback & { error: string | null; log: CallbackAttempt[] }

/** Callbacks: they post endings of runs to owners' URLs (docs/decisions/0040). */
export function createCallbacks(context: { database: Database; clock: Clock; config: Pick<Config, 'callbacks'> }) {
  const { database, clock } = context
  const giveUpAt = (from: Date): Date => new Date(from.getTime() + context.config.callbacks.hours * 3_600_000)

  /** The callback of a run, its error if it failed, and its latest attempts, newest first. NOT_FOUND if it has none. */
  async function of(runId: string): Promise<ShownCallback> {
    const callback = await Callback.query(database).findOne({ runId })
    assertThat(callback, 'NOT_FOUND', { message: noCallback })
    const { id: callbackId } = callback
    const log = await CallbackAttempt.query(database).where({ callbackId }).orderBy('attempt', 'desc').limit(maxShown)
    return Object.assign(callback, { error: failureOf(callback, log[0]), log })
  }

  return {
    of,

    /** Creates the callback in the transaction that ends the run, if the agent has a callback URL. */
    async queue(
      trx: Transaction,
      { runId, agentId, now }: { runId: string; agentId: string; now: Date },
    ): Promise<void> {
      await queueStatement(trx, { id: newId(), runId, agentId, now, giveUpAt: giveUpAt(now) })
    },

    /**
     * The callbacks of an agent and its current owner, newest first, optionally of one status. Fails on an invalid
     * cursor.
     */
    list: (
      { id: agentId, ownerId, movedAt }: Pick<Agent, 'id' | 'ownerId' | 'movedAt'>,
      request: PageRequest & { status?: CallbackStatus | undefined },
    ): Promise<Page<Callback>> =>
      page(Callback.query(database), {
        list: 'callbacks',
        time: 'createdAt',
        // Postgres would treat the two conditions as independent.
        of: { agentId, ...(movedAt && { ownerId }) },
        ...request,
        only: { status: request.status },
      }),

    /**
     * Posts a run's callback again, whatever its status, to the agent's current URL, with a new deadline. NOT_FOUND if
     * the run has no callback, the agent has no URL, or the agent has a new owner, whose URL must not get it.
     */
    async retry(runId: string): Promise<ShownCallback> {
      const now = clock.now()
      await of(runId)
      const bindings = { runId, now, giveUpAt: giveUpAt(now) }
      const { rows } = await database.raw<{ rows: unknown[] }>(retryStatement, bindings)
      assertThat(rows.length > 0, 'NOT_FOUND', { message: noAddress })
      return of(runId)
    },
  }
}

export type Callbacks = ReturnType<typeof createCallbacks>

const noAddress = 'The agent no longer has a callbackUrl, or was deleted or moved, so the callback cannot be sent.'

const noCallback =
  'The run has no callback. Either the run has not ended, or its agent had no callbackUrl when the run ended.'

const queueStatement = statement(`
  insert into callbacks (id, agent_id, owner_id, run_id, url, status, give_up_at, next_at, created_at)
  select :id, id, owner_id, :runId, callback_url, 'pending', :giveUpAt, :now, :now
    from agents where id = :agentId and callback_url is not null`)

const retryStatement = `
  update callbacks c
     set status = 'pending', tries = 0, next_at = :now, ended_at = null, give_up_at = :giveUpAt, url = a.callback_url
    from agents a
   where a.id = c.agent_id and a.owner_id = c.owner_id and c.run_id = :runId and a.callback_url is not null and a.deleted_at is null
  returning 1`
