import { Row } from '../../database/row.ts'

export type GrantKind = 'grant' | 'purchase' | 'top_up' | 'promotion'

/**
 * Lower priorities are used first: given credits before bought ones. Among equals, the earliest expiry comes first,
 * then the oldest.
 */
export const usualPriority: Record<GrantKind, number> = {
  promotion: 0,
  grant: 10,
  purchase: 20,
  top_up: 20,
}

/**
 * Credits that were added together (table `credit_grants`). What is left of all grants is the balance, unless that is
 * negative.
 */
export class CreditGrant extends Row {
  static override tableName = 'credit_grants'
  static override idColumn = ['ownerId', 'id']
  declare id: string
  declare ownerId: string
  declare kind: GrantKind
  declare credits: number
  declare remaining: number
  declare priority: number
  /** By the account's clock; null for never. */
  declare expiresAt: Date | null
  /** An admin's reason, and the key of the request. */
  declare note: string | null
  declare requestKey: string | null
  declare createdAt: Date
}
