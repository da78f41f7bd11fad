import type { Database } from '../../../src/database/database.ts'

/** With more entries than this, the sums of a random sample are checked. */
const mostEntries = 5_000_000
const sampleOfAccounts = 10_000
const mostNamed = 20

/** The accounts checked, and those whose balance their ledger or grants do not explain, a sentence each. */
export interface LedgerCheck {
  accounts: number
  accountsInAll: number
  problems: string[]
}

/** Compares each account's balance with the sum of its ledger and with what is left of its grants. */
export async function checkLedger(database: Database): Promise<LedgerCheck> {
  const { rows: sizes } = await database.raw<{ rows: [{ accounts: number; entries: number }] }>(sizesStatement)
  const [{ accounts: accountsInAll, entries }] = sizes
  const accounts = entries > mostEntries ? Math.min(sampleOfAccounts, accountsInAll) : accountsInAll
  const { rows } = await database.raw<{ rows: Unexplained[] }>(unexplainedStatement, [accounts])
  return { accounts, accountsInAll, problems: rows.slice(0, mostNamed).map(inWords) }
}

interface Unexplained {
  ownerId: string
  balance: number
  ledger: number
  grants: number
}

const inWords = ({ ownerId, balance, ledger, grants }: Unexplained): string =>
  `The account ${ownerId} has a balance of ${balance} credits, but its ledger adds up to ${ledger}, and ${grants} are left of its grants.`

/** The estimate was made after the copy was loaded. */
const sizesStatement = `
  select (select count(*) from accounts) as accounts,
         (select reltuples::bigint from pg_class where oid = 'ledger_entries'::regclass) as entries`

const unexplainedStatement = `
  with chosen as materialized (select owner_id, balance from accounts order by random() limit ?),
  sums as (
    select owner_id, balance,
           (select coalesce(sum(credits), 0)::bigint from ledger_entries e where e.owner_id = chosen.owner_id) as ledger,
           (select coalesce(sum(remaining), 0)::bigint from credit_grants g where g.owner_id = chosen.owner_id) as grants
      from chosen
  )
  select owner_id as "ownerId", balance, ledger, grants from sums
   where balance <> ledger or greatest(balance, 0) <> grants`
