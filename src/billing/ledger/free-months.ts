import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { taken } from '../../owners/free-month.ts'
import { hashToken } from '../../secrets/opaque-tokens.ts'
import { mailboxOf } from '../../users/email.ts'
import { User } from '../../users/user.ts'
import type { Account } from '../account.ts'
import { periodOf } from './granted-months.ts'

/** The account's fields that decide. */
type Of = Pick<
  Account,
  'tier' | 'givenTier' | 'limits' | 'currentPeriodEnd' | 'grantedPeriod' | 'isKnown' | 'clockSeconds' | 'ownerId'
>

/**
 * The free monthly allowance: credits of the free tier, or tokens without payments. Where a model costs the operator
 * money, it requires a verified address and comes once per mailbox. An admin vouches for an account by giving it a tier
 * or a token limit.
 */
export function createFreeMonths({ config }: { config: Pick<Config, 'billing'> }) {
  const { mode, modelsCostMoney } = config.billing

  const isBound = ({ tier, givenTier, limits }: Of): boolean =>
    modelsCostMoney && tier === 'free' && (givenTier ?? null) === null && limits?.tokensPerMonth === undefined

  /** Why an account gets no free allowance in its current month. */
  function withheld(account: Of, now: Date): 'address' | 'mailbox' | null {
    if (!isBound(account)) return null
    if (account.isKnown !== true) return 'address'
    return account.grantedPeriod === nameOf(account, now) + taken ? 'mailbox' : null
  }

  const nameOf = (account: Of, now: Date): string => periodOf(account, now, mode)

  return {
    withheld,
    nameOf,

    /** Whether the month's grant is still due. */
    isDue: (account: Of, now: Date): boolean =>
      account.grantedPeriod !== nameOf(account, now) && withheld(account, now) === null,

    /**
     * Claims the free month of a locked account's mailbox. Returns the period to record. If another account had the
     * month, the period is marked as taken.
     */
    async claim(trx: Transaction, account: Of, now: Date): Promise<{ period: string; isOwn: boolean }> {
      const period = nameOf(account, now)
      if (!isBound(account)) return { period, isOwn: true }
      const { email } = await User.query(trx).findById(account.ownerId).select('email').throwIfNotFound()
      const values = { ownerId: account.ownerId, now, mailboxHash: hashToken(mailboxOf(email)) }
      const { rows } = await trx.raw<{ rows: [{ isOwn: boolean }] }>(claimStatement, values)
      const { isOwn } = rows[0]
      return { period: isOwn ? period : period + taken, isOwn }
    },
  }
}

export const purgeFreeMonths = (database: Database, now: Date): Promise<unknown> =>
  database.raw("delete from free_months where month < (:now::timestamptz - interval '3 months')::date", { now })

const month = "date_trunc('month', :now::timestamptz at time zone 'utc')::date"

const claimStatement = `
  with own as (
    select from free_months where owner_id = :ownerId and month = ${month}
  ), made as (
    insert into free_months (month, owner_id, mailbox_hash)
    select ${month}, :ownerId, :mailboxHash where not exists (select from own)
    on conflict do nothing returning owner_id
  )
  select exists (select from own) or exists (select from made) as "isOwn"`
