import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import { hashToken, isToken, newToken } from '../secrets/opaque-tokens.ts'
import { assertActiveUser } from '../owners/suspension.ts'
import { AccountToken, type TokenPurpose } from './account-token.ts'

const hour = 3600
const day = 24 * hour

/** How long a token can be used, in seconds. */
const tokenSeconds: Record<TokenPurpose, number> = {
  verify: day,
  change: day,
  // As long as the hour in which five may be asked for: a stranger who asks for all of them leaves the owner a good one.
  reset: hour,
  invite: 7 * day,
}

/** A new token, which is nowhere else. */
export interface IssuedToken {
  token: string
  expiresAt: Date
}

/** Tokens for one use: their hashes, until they are used, replaced or over. */
export function createAccountTokens(context: { database: Database; clock: Clock }) {
  const { database, clock } = context

  /** Makes a token for an address. `userId` is null for an invitation. */
  async function issue(
    trx: Transaction,
    { purpose, userId, email }: { purpose: TokenPurpose; userId: string | null; email: string },
  ): Promise<IssuedToken> {
    const [token, createdAt] = [newToken(purpose), clock.now()]
    const expiresAt = later(createdAt, tokenSeconds[purpose])
    const row = { id: newId(), userId, purpose, email, tokenHash: hashToken(token), createdAt, expiresAt }
    await AccountToken.query(trx).insert(row)
    return { token, expiresAt }
  }

  /** Looks a token up without using it. INVALID_TOKEN (never given out, used or replaced), TOKEN_EXPIRED. */
  async function find(token: string, purposes: readonly TokenPurpose[]): Promise<AccountToken> {
    const looksRight = purposes.some((purpose) => isToken(purpose, token))
    const found = looksRight ? await AccountToken.query(database).findOne({ tokenHash: hashToken(token) }) : undefined
    assertThat(found, 'INVALID_TOKEN', { message: gone })
    const message = 'This token has expired. Request a new one.'
    assertThat(found.expiresAt > clock.now(), 'TOKEN_EXPIRED', { message })
    return found
  }

  /** The invitation of an address that is good still. */
  const invitationOf = async (trx: Transaction, email: string): Promise<AccountToken | undefined> =>
    AccountToken.query(trx).findOne({ email, purpose: 'invite' }).where('expiresAt', '>', clock.now())

  /**
   * Uses a token up. INVALID_TOKEN if somebody else just did, PERMISSION_DENIED while its user is suspended: then it is good
   * afterwards. The caller has locked the user's row.
   */
  async function take(trx: Transaction, { id, userId }: AccountToken): Promise<void> {
    if (userId !== null) await assertActiveUser(trx, userId)
    const deleted = await AccountToken.query(trx).findById(id).delete()
    assertThat(deleted === 1, 'INVALID_TOKEN', { message: gone })
  }

  /** Voids a user's tokens for some purposes. The caller has locked the user's row. */
  async function withdraw(trx: Transaction, userId: string, purposes: readonly TokenPurpose[]): Promise<void> {
    await AccountToken.query(trx).where({ userId }).whereIn('purpose', purposes).delete()
  }

  /** Deletes tokens whose time was over a day ago: until then their answer is that it is over. */
  async function purge(): Promise<void> {
    await AccountToken.query(database).where('expiresAt', '<', later(clock.now(), -day)).delete()
  }

  return { issue, find, invitationOf, take, withdraw, purge }
}

export type AccountTokens = ReturnType<typeof createAccountTokens>

const gone = 'This token does not exist, or it has already been used or replaced.'
