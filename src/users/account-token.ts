import { Row } from '../database/row.ts'

const tokenPurposes = ['verify', 'change', 'reset', 'invite'] as const
/**
 * A token's purpose: to verify an account's address or a new address, to replace the password, or to create an account.
 */
export type TokenPurpose = (typeof tokenPurposes)[number]

/** A single-use token sent to an address (table `account_tokens`). Only its hash is stored. */
export class AccountToken extends Row {
  static override tableName = 'account_tokens'
  declare id: string
  /** The account; null for an invitation. */
  declare userId: string | null
  declare purpose: TokenPurpose
  /** The recipient. */
  declare email: string
  declare tokenHash: string
  declare createdAt: Date
  declare expiresAt: Date
}
