import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import { hashToken, isToken, newToken } from '../secrets/opaque-tokens.ts'
import { assertActiveUser } from '../owners/suspension.ts'
import { AccountToken, type TokenPurpose } from './account-token.ts'

const hour = 3600
const day = 24 * hour

/** How long tokens are valid, in seconds. */
const tokenSeconds: Record<TokenPurpose, number> = {
  verify: day,
  change: day,
  // The same hour that allows five requests: a stranger who makes all of them still leaves the owner a valid token.
  reset: hour,
  invite: 7 * day,
  admin: hour,
}

/** A new token. It is stored nowhere. */
export interface IssuedToken {
  token: string
  expiresAt: Date
}

/** Single-use tokens: stored as hashes until they are used, replaced or expired. */
export function createAccountTokens(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  /** Creates a token. `userId` is null if it creates an account, and `email` if the user chooses an address. */
  async function issue(
    trx: Transaction,
    { purpose, userId, email }: { purpose: TokenPurpose; userId: string | null; email: string | null },
  ): Promise<IssuedToken> {
    const [token, createdAt] = [newToken(purpose), clock.now()]
    const expiresAt = later(createdAt, tokenSeconds[purpose])
    const row = { id: newId(), userId, purpose, email, tokenHash: hashToken(token), createdAt, expiresAt }
    await AccountToken.query(trx).insert(row)
    return { token, expiresAt }
  }

  /** Finds a token without using it. INVALID_TOKEN (unknown, used or replaced), TOKEN_EXPIRED. */
  async function find(token: string, purposes: readonly TokenPurpose[]): Promise<AccountToken> {
    const looksRight = purposes.some((purpose) => isToken(purpose, token))
    const found = looksRight ? await AccountToken.query(database).findOne({ tokenHash: hashToken(token) }) : undefined
    assertThat(found, 'INVALID_TOKEN', { message: gone })
    const message = 'This token has expired. Request a new one.'
    assertThat(found.expiresAt > clock.now(), 'TOKEN_EXPIRED', { message })
    return found
  }

  /** An address's valid invitation. */
  const invitationOf = async (trx: Transaction, email: string): Promise<AccountToken | undefined> =>
    AccountToken.query(trx).findOne({ email, purpose: 'invite' }).where('expiresAt', '>', clock.now())

  /**
   * Uses a token. INVALID_TOKEN if another request just did. PERMISSION_DENIED while its user is suspended; it stays
   * valid. The caller has locked the user's row.
   */
  async function take(trx: Transaction, { id, userId }: AccountToken): Promise<void> {
    if (userId !== null) await assertActiveUser(trx, userId)
    const deleted = await AccountToken.query(trx).findById(id).delete()
    assertThat(deleted === 1, 'INVALID_TOKEN', { message: gone })
  }

  /** Invalidates a user's tokens for some purposes. The caller has locked the user's row. */
  async function withdraw(trx: Transaction, userId: string, purposes: readonly TokenPurpose[]): Promise<void> {
    await AccountToken.query(trx).where({ userId }).whereIn('purpose', purposes).delete()
  }

  /** Deletes tokens a day after they expire. Until then the error is TOKEN_EXPIRED. */
  async function purge(): Promise<void> {
    await AccountToken.query(database).where('expiresAt', '<', later(clock.now(), -day)).delete()
  }

  return { issue, find, invitationOf, take, withdraw, purge }
}

export type AccountTokens = ReturnType<typeof createAccountTokens>

const gone = 'This token does not exist, or it has already been used or replaced.'
