import type { Clock } from '../../clock.ts'
import { later } from '../../clock.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { monthAt } from '../../owners/workspace-months.ts'
import type { Account } from '../account.ts'
import { timeOf } from '../account-status.ts'
import { estimateOf, tokensOf, type Used } from './estimate.ts'

/**
 * How long a hold counts, by the platform's clock: longer than any model step. A run's step may take 65 minutes
 * (`modelOptions` of the workflows), a chat answer an hour (maximum of CHAT_TIMEOUT_SECONDS).
 */
export const holdSeconds = 70 * 60

export interface NewHold {
  ownerId: string
  agentId?: string
  /** The run, or the answer in a chat. */
  subjectId: string
  step: number
  /** Usage of earlier steps, and their number. */
  used: Used
}

/** Limits beyond the account's row. */
interface Bounds {
  /** Whether the balance is a limit. */
  isCharged: boolean
  /** The account's limit; Infinity for none. */
  tokensPerMonth: number
}

/** Credits held for steps in progress, so concurrent steps do not spend the same credits. */
export function createHolds({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /**
     * Holds credits and monthly tokens of a locked account for a step, and replaces the earlier hold of its run or
     * answer. Returns the credits; undefined if less than one credit or token is free within the caps and other holds.
     */
    async place(trx: Transaction, account: Account, given: NewHold & Bounds): Promise<number | undefined> {
      const { ownerId, agentId = null, subjectId, step, used, isCharged, tokensPerMonth } = given
      const now = clock.now()
      const { rows } = await placeStatement(trx, {
        subjectId,
        step,
        agentId,
        now,
        payerId: account.ownerId,
        workspaceId: account.ownerId === ownerId ? null : ownerId,
        at: timeOf(account, now),
        expiresAt: later(now, holdSeconds),
        estimate: estimateOf(used),
        isCharged,
        tokensPerMonth: Number.isFinite(tokensPerMonth) ? tokensPerMonth : null,
        tokenEstimate: tokensOf(used),
      })
      return rows[0]?.credits
    },

    /** Releases the hold of a failed step, or of a finished run or answer. */
    release: async (trx: Transaction, subjectId: string): Promise<void> => {
      await trx.raw('delete from credit_holds where subject_id = :subjectId', { subjectId })
    },

    async purge(): Promise<void> {
      await database.raw(purgeStatement, { now: clock.now() })
    },
  }
}

const purgeStatement = `
  delete from credit_holds where subject_id in
    (select subject_id from credit_holds where expires_at <= :now limit 10000 for update skip locked)`

/** `least` ignores missing caps; without any cap, the estimate is held. An agent has one step in progress at a time. */
const placeStatement = statement<{ credits: number }>(`
  with others as (
    select coalesce(sum(credits), 0)::bigint as all_held, coalesce(sum(tokens), 0)::bigint as tokens_held,
           coalesce(sum(credits) filter (where workspace_id = :workspaceId), 0)::bigint as of_workspace
      from credit_holds where owner_id = :payerId and subject_id <> :subjectId and expires_at > :now
  ), account as (
    select a.balance, a.credits_per_month as cap, coalesce(m.credits, 0) as used, coalesce(m.tokens, 0) as tokens_used
      from accounts a left join credit_months m on m.subject_id = a.owner_id and m.month = ${monthAt(':at')}
     where a.owner_id = :payerId
  ), free as (
    select least(
             :estimate::bigint,
             case when :isCharged then a.balance - o.all_held end,
             a.cap - a.used - o.all_held,
             (select w.credits_per_month - coalesce(m.credits, 0)
                from workspaces w left join workspace_months m on m.workspace_id = w.id and m.month = ${monthAt(':at')}
               where w.id = :workspaceId) - o.of_workspace,
             (select g.credits_per_month - coalesce(m.credits, 0)
                from agents g left join credit_months m on m.subject_id = g.id and m.month = ${monthAt(':at')}
               where g.id = :agentId)
           ) as credits,
           least(:tokenEstimate::bigint, :tokensPerMonth::bigint - a.tokens_used - o.tokens_held) as tokens
      from others o, account a
  )
  insert into credit_holds (subject_id, owner_id, workspace_id, created_at, expires_at, credits, tokens, step)
  select :subjectId::uuid, :payerId::uuid, :workspaceId::uuid, :now::timestamptz, :expiresAt::timestamptz,
         free.credits, free.tokens, :step::integer
    from free where free.credits >= 1 and free.tokens >= 1
  on conflict (subject_id) do update
    set owner_id = excluded.owner_id, workspace_id = excluded.workspace_id, created_at = excluded.created_at,
        expires_at = excluded.expires_at, credits = excluded.credits, tokens = excluded.tokens, step = excluded.step
  returning credits`)
