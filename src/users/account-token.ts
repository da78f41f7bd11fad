import { Row } from '../database/row.ts'

const tokenPurposes = ['verify', 'change', 'reset', 'invite', 'admin'] as const
/**
 * A token's purpose: to verify an account's address or a new address, to replace the password, to create an account, or
 * to create the first admin.
 */
export type TokenPurpose = (typeof tokenPurposes)[number]

/** A single-use token, mailed or printed for an operator (table `account_tokens`). Only its hash is stored. */
export class AccountToken extends Row {
  static override tableName = 'account_tokens'
  declare id: string
  /** The account; null for a token that creates one. */
  declare userId: string | null
  declare purpose: TokenPurpose
  /** The recipient; null for the first admin, who chooses an address. */
  declare email: string | null
  declare tokenHash: string
  declare createdAt: Date
  declare expiresAt: Date
}
