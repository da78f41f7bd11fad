import { Row } from '../database/row.ts'

const tokenPurposes = ['verify', 'change', 'reset', 'invite'] as const
/**
 * What a token does: it shows that the address of an account is read, or that a new address is; it replaces the password;
 * it allows to make an account.
 */
export type TokenPurpose = (typeof tokenPurposes)[number]

/** A token for one use that was sent to an address (table `account_tokens`); only its hash is stored. */
export class AccountToken extends Row {
  static override tableName = 'account_tokens'
  declare id: string
  /** Whose account it is about; null for an invitation. */
  declare userId: string | null
  declare purpose: TokenPurpose
  /** The address that it was sent to. */
  declare email: string
  declare tokenHash: string
  declare createdAt: Date
  declare expiresAt: Date
}
