import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { taken } from '../../owners/free-month.ts'
import { hashToken } from '../../secrets/opaque-tokens.ts'
import { mailboxOf } from '../../users/email.ts'
import { User } from '../../users/user.ts'
import type { Account } from '../account.ts'
import { periodOf } from './granted-months.ts'

/** Those of the account that it depends on. */
type Of = Pick<
  Account,
  'tier' | 'givenTier' | 'limits' | 'currentPeriodEnd' | 'grantedPeriod' | 'isKnown' | 'clockSeconds' | 'ownerId'
>

/**
 * What is free each month: credits of the free tier or, where there are no payments, tokens. Where a model costs its
 * operator money, it is for those whose address is verified, once for each mailbox. An admin vouches for an account by
 * giving it a tier, or a limit of tokens.
 */
export function createFreeMonths({ config }: { config: Pick<Config, 'billing'> }) {
  const { mode, modelsCostMoney } = config.billing

  const isBound = ({ tier, givenTier, limits }: Of): boolean =>
    modelsCostMoney && tier === 'free' && (givenTier ?? null) === null && limits?.tokensPerMonth === undefined

  /** Why an account has nothing free in a month of its own. */
  function withheld(account: Of, now: Date): 'address' | 'mailbox' | null {
    if (!isBound(account)) return null
    if (account.isKnown !== true) return 'address'
    return account.grantedPeriod === nameOf(account, now) + taken ? 'mailbox' : null
  }

  const nameOf = (account: Of, now: Date): string => periodOf(account, now, mode)

  return {
    withheld,
    nameOf,

    /** Whether the month is to be granted still. */
    isDue: (account: Of, now: Date): boolean =>
      account.grantedPeriod !== nameOf(account, now) && withheld(account, now) === null,

    /** Takes the free month of a locked account's mailbox. Returns the period to note: without it, another has had it. */
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

/** Deletes months that are long over. */
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
