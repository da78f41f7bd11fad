import { Row } from '../database/row.ts'
import type { TierName } from './tiers.ts'

/** The tier, subscription and credit balance of one owner (table `accounts`). */
export class Account extends Row {
  static override tableName = 'accounts'
  static override idColumn = 'ownerId'
  declare ownerId: string
  declare tier: TierName
  /** Until when the tier is paid; null for the free tier. */
  declare currentPeriodEnd: Date | null
  /** Always the sum of the owner's ledger entries; changed only under this row's lock. */
  declare balance: number
  /** The last month and tier for which a grant was settled (`2026-11/free`), so that seeing it costs no further query. */
  declare grantedPeriod: string | null
  declare createdAt: Date
}
