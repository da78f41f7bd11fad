import { raw } from 'objection'
import type { Database, Transaction } from '../database/database.ts'
import { rowOf } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import { monthAt } from '../owners/workspace-months.ts'
import { Account, selectingAccount, type AccountFields } from './account.ts'

/** The accounts that pay for these owners, by owner. */
export async function findAccounts(database: Database, ownerIds: string[], now: Date): Promise<Map<string, Account>> {
  const found = await Account.query(database)
    .joinRaw(byOwnerJoin, { ownerIds })
    .select('accounts.*', 'asked.id as askedId', raw(beside, { now }))
    .castTo<(Account & { askedId: string })[]>()
  return new Map(found.map((account) => [account.askedId, account]))
}

/** The account that pays for the owner. */
export const findAccount = (trx: Transaction, ownerId: string, now: Date) => read(findStatement, trx, ownerId, now)

/** The same, locked until the transaction ends. */
export const lockAccount = (trx: Transaction, ownerId: string, now: Date) => read(lockStatement, trx, ownerId, now)

async function read(
  by: typeof findStatement,
  trx: Transaction,
  ownerId: string,
  now: Date,
): Promise<Account | undefined> {
  const { rows } = await by(trx, { ownerId, now })
  return rows[0] && rowOf(Account, rows[0])
}

/** Columns read with an account. */
const beside = `
  exists (select from deletions d where d.owner_id = accounts.owner_id) as "isClosing",
  (select min(g.expires_at) from credit_grants g where g.owner_id = accounts.owner_id and g.remaining > 0) as "nextExpiry",
  case when accounts.credits_per_month is not null then
    (select m.credits from credit_months m
      where m.subject_id = accounts.owner_id and m.month = ${monthAt(':now', 'accounts.clock_seconds')})
  end as "usedThisMonth",
  coalesce((select m.tokens from credit_months m
    where m.subject_id = accounts.owner_id and m.month = ${monthAt(':now', 'accounts.clock_seconds')}), 0)::bigint
    as "tokensThisMonth",
  exists (select from users u where u.id = accounts.owner_id and u.suspended_at is not null) as "isSuspended",
  exists (select from users u where u.id = accounts.owner_id and (u.email_verified_at is not null or u.admin)) as "isKnown"`

const paysFor = `
  select ${selectingAccount}, ${beside} from accounts
   where accounts.owner_id = coalesce((select payer_id from workspaces where id = :ownerId), :ownerId)`

const findStatement = statement<AccountFields>(paysFor)
const lockStatement = statement<AccountFields>(`${paysFor} for update`)

const byOwnerJoin = `
  join (unnest(:ownerIds::uuid[]) as asked (id) left join workspaces w on w.id = asked.id)
    on accounts.owner_id = coalesce(w.payer_id, asked.id)`
