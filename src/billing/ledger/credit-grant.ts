import { Row } from '../../database/row.ts'

/** What a grant was made by. */
export type GrantKind = 'grant' | 'purchase' | 'top_up' | 'promotion'

/**
 * Which grants are used first: the lowest. What was given away goes first, what was bought last; of those alike, what
 * expires first, and then the oldest.
 */
export const usualPriority: Record<GrantKind, number> = {
  promotion: 0,
  grant: 10,
  purchase: 20,
  top_up: 20,
}

/** Credits that were added together (table `credit_grants`). What is left of all of them is the balance, if that is not negative. */
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
  /** Of an admin's: why, for people, and the key of the request. */
  declare note: string | null
  declare requestKey: string | null
  declare createdAt: Date
}
