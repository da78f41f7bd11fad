import { ofAccount, operator, recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import { networkOf } from '../rate-limit.ts'
import { AccountToken } from './account-token.ts'
import { createAccountTokens, type AccountTokens, type IssuedToken } from './account-tokens.ts'
import { readEmail } from './email.ts'
import type { Client, Logins, TokenPair } from './logins.ts'
import { readNewPassword, type Passwords } from './passwords.ts'
import { taken } from './register.ts'
import { User } from './user.ts'

/**
 * Creates a token that makes an operator's own admin, and replaces the earlier one. undefined, without a token, once
 * there is an admin with another address than `localEmail`. For operators.
 */
export async function inviteFirstAdmin(
  context: { database: Database; clock: Clock },
  localEmail: string,
): Promise<IssuedToken | undefined> {
  const tokens = createAccountTokens(context)
  return context.database.transaction(async (trx) => {
    await AccountToken.query(trx).where({ userId: null, purpose: 'admin' }).delete()
    const own = await User.query(trx).where({ admin: true }).whereNot({ email: localEmail }).first()
    return own ? undefined : tokens.issue(trx, { purpose: 'admin', userId: null, email: null })
  })
}

interface FirstAdmin {
  token: string
  email: string
  password: string
}

/** Makes the function that creates the first admin from an operator's token. */
export function createFirstAdmin(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth'>
  logger: Logger
  passwords: Passwords
  tokens: AccountTokens
  logins: Pick<Logins, 'open'>
}) {
  const { database, clock, config, logger, passwords, tokens, logins } = context

  /** The address counts as verified, and the terms as accepted: the user operates the installation. */
  async function insert(trx: Transaction, { email, passwordHash }: Pick<User, 'email' | 'passwordHash'>, now: Date) {
    const { termsVersion } = config.auth
    const allowed = { admin: true, emailVerifiedAt: now, termsVersion, termsAcceptedAt: now }
    const row = { id: newId(), email, passwordHash, ...allowed, createdAt: now }
    await User.query(trx).insert(row).onConflict('email').ignore()
    const made = await User.query(trx).findById(row.id)
    assertThat(made, 'VALIDATION_ERROR', taken)
    return made
  }

  /**
   * Creates an admin and opens a login. INVALID_TOKEN (unknown, used or replaced), TOKEN_EXPIRED. VALIDATION_ERROR for a
   * bad or taken address or a bad password; the token stays valid.
   */
  return async function make(request: FirstAdmin, from: Client): Promise<{ userId: string; tokens: TokenPair }> {
    const email = readEmail(request.email)
    const password = readNewPassword(request.password, 'password')
    const known = await tokens.find(request.token, ['admin'])
    const passwordHash = await passwords.hash(password, networkOf(from.address))
    const userId = await database.transaction(async (trx) => {
      const now = clock.now()
      await tokens.take(trx, known)
      const { id } = await insert(trx, { email, passwordHash }, now)
      const sides = { before: { admin: false }, after: { admin: true } }
      await recordDeeds(trx, now, { ...ofAccount(id, 'createFirstAdmin', { ...from, ...operator }), ...sides })
      return id
    })
    logger.info({ userId }, 'first admin created')
    return { userId, tokens: await logins.open({ email, password, from }) }
  }
}
