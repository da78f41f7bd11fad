import { later } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { page, widened, type KeyRange, type Page, type PageRequest, type Period } from '../../database/paging.ts'
import { firstIdAt } from '../../ids.ts'
import type { Account } from '../account.ts'
import { LedgerEntry, type LedgerEntryKind } from '../ledger-entry.ts'
import { CreditGrant } from './credit-grant.ts'

/** An entry with an admin's reason for given credits; null for others. */
export type ListedEntry = Omit<LedgerEntry, 'balanceAfter'> &
  Pick<CreditGrant, 'note' | 'expiresAt'> & { balanceAfter: number | null }

/** The ledger of owners, newest first. */
export function createListLedger(context: { database: Database; current: (ownerId: string) => Promise<Account> }) {
  const { database, current } = context

  async function withGrants(items: LedgerEntry[]): Promise<ListedEntry[]> {
    const given = items.filter(({ kind, grantId }) => kind === 'promotion' && grantId !== null)
    const keys = given.map(({ ownerId, grantId }) => [ownerId, grantId] as [string, string])
    const grants = keys.length === 0 ? [] : await CreditGrant.query(database).whereInComposite(['ownerId', 'id'], keys)
    const byId = new Map(grants.map((grant) => [grant.id, grant]))
    return items.map((entry) => {
      const { note = null, expiresAt = null } = (entry.kind === 'promotion' && byId.get(entry.grantId ?? '')) || {}
      return Object.assign(entry, { note, expiresAt })
    })
  }

  /** The account's ledger; for a workspace, its usage. */
  return async (
    ownerId: string,
    { kind, ...request }: PageRequest & { kind?: LedgerEntryKind | undefined },
  ): Promise<Page<ListedEntry>> => {
    const account = await current(ownerId)
    const of: Record<string, string> = account.ownerId === ownerId ? { ownerId } : { workspaceId: ownerId }
    const rangeOf = (period: Period) => entriesIn(account, period)
    const found = await page(LedgerEntry.query(database), {
      list: 'ledger',
      time: 'createdAt',
      of,
      only: { kind },
      rangeOf,
      ...request,
    })
    const items = await withGrants(found.items)
    return { ...found, items: account.ownerId === ownerId ? items : items.map(withoutPayer) }
  }
}

/** A workspace does not see its owner's balance. */
const withoutPayer = (entry: ListedEntry): ListedEntry => Object.assign(entry, { balanceAfter: null, drawn: null })

/**
 * The range of ids of a period's entries. Ids use the platform's clock. Times use the account's clock, which may be
 * ahead, and may have been less so before.
 */
export function entriesIn({ clockSeconds }: Pick<Account, 'clockSeconds'>, period: Period): KeyRange {
  const { since, until } = widened(period)
  return { from: since && firstIdAt(later(since, -clockSeconds)), before: until && firstIdAt(until) }
}
