import { later } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { page, widened, type KeyRange, type Page, type PageRequest, type Period } from '../../database/paging.ts'
import { firstIdAt } from '../../ids.ts'
import type { Account } from '../account.ts'
import { LedgerEntry, type LedgerEntryKind } from '../ledger-entry.ts'

/** The ledger of owners, newest first. */
export function createListLedger(context: { database: Database; current: (ownerId: string) => Promise<Account> }) {
  const { database, current } = context

  /** That of an account; of a workspace, what it has used. */
  return async (
    ownerId: string,
    { kind, ...request }: PageRequest & { kind?: LedgerEntryKind | undefined },
  ): Promise<Page<LedgerEntry>> => {
    const account = await current(ownerId)
    const of: Record<string, string> = account.ownerId === ownerId ? { ownerId } : { workspaceId: ownerId }
    const rangeOf = (period: Period) => entriesIn(account, period)
    return page(LedgerEntry.query(database), {
      list: 'ledger',
      time: 'createdAt',
      of,
      only: { kind },
      rangeOf,
      ...request,
    })
  }
}

/**
 * Between which ids the entries of a period lie. Ids are made by the platform's clock, times by that of the account, which
 * may be ahead, and perhaps was less so before.
 */
export function entriesIn({ clockSeconds }: Pick<Account, 'clockSeconds'>, period: Period): KeyRange {
  const { since, until } = widened(period)
  return { from: since && firstIdAt(later(since, -clockSeconds)), before: until && firstIdAt(until) }
}
