import { ofAccount, recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { violatedConstraint, type Database, type Transaction } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Due } from '../runs/due.ts'
import type { NewMail, Outbox } from '../outbox/outbox.ts'
import { forgetTaken } from '../owners/free-month.ts'
import type { RateLimits } from '../rate-limit.ts'
import { addressWasChanged, changeWasAsked, newAddress, verification } from './account-mails.ts'
import type { AccountToken } from './account-token.ts'
import type { AccountTokens } from './account-tokens.ts'
import { requireLogin, type Caller } from './caller.ts'
import { readEmail } from './email.ts'
import type { Client } from './logins.ts'
import type { Proof, LoginAttempts } from './login-attempts.ts'
import { User } from './user.ts'

type Addressed = Pick<User, 'id' | 'email'>

/** Proof that users read their mail: an address is verified with a mailed token, and so is a new one. */
export function createEmailChanges(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  logger: Logger
  outbox: Pick<Outbox, 'put' | 'putOrRefuse'>
  rateLimits: Pick<RateLimits, 'accountMail'>
  tries: Pick<LoginAttempts, 'prove'>
  tokens: AccountTokens
  due: Pick<Due, 'owner'>
}) {
  const { database, clock, config, logger, outbox, rateLimits, tries, tokens, due } = context
  const { baseUrl } = config.http

  /** Anyone can register an address, but only its account requests another token, so the two count separately. */
  async function tokenMail(trx: Transaction, { id: userId, email }: Addressed): Promise<NewMail> {
    await tokens.withdraw(trx, userId, ['verify'])
    const issued = await tokens.issue(trx, { purpose: 'verify', userId, email })
    return { to: email, ...verification(issued, baseUrl) }
  }

  /**
   * Mails a token for the user's address and replaces the earlier one, unless the mailbox has reached today's limit.
   * The caller has locked the user's row.
   */
  const sendToken = async (trx: Transaction, user: Addressed): Promise<void> =>
    void (await outbox.put(trx, { ...(await tokenMail(trx, user)), kind: 'asked' }))

  /** Mails another token, unless the address is already verified. RATE_LIMITED after a few an hour. */
  async function sendAgain(caller: Caller): Promise<void> {
    requireLogin(caller)
    await rateLimits.accountMail(`${caller.userId} verify`)
    await database.transaction(async (trx) => {
      const user = await User.query(trx).findById(caller.userId).forNoKeyUpdate()
      assertThat(user, 'INVALID_TOKEN')
      if (user.emailVerifiedAt === null) await outbox.putOrRefuse(trx, await tokenMail(trx, user))
    })
  }

  /**
   * Mails a token to the new address and a notice to the current one. Does not reveal whether the new address is taken:
   * only its reader learns that. UNAUTHORIZED for a wrong password or code, VALIDATION_ERROR, RATE_LIMITED after a few
   * an hour.
   */
  async function askToChange(caller: Caller, request: Proof & { newEmail: string }, address: string): Promise<void> {
    requireLogin(caller)
    const email = readEmail(request.newEmail, 'newEmail')
    const { user: before } = await tries.prove(caller.userId, request, address)
    await rateLimits.accountMail(`${caller.userId} change`)
    await database.transaction(async (trx) => {
      const user = await User.query(trx).findById(before.id).forNoKeyUpdate()
      const changed = 'Your password was changed during this request.'
      assertThat(user?.passwordHash === before.passwordHash, 'UNAUTHORIZED', { message: changed })
      await tokens.withdraw(trx, user.id, ['change'])
      const issued = await tokens.issue(trx, { purpose: 'change', userId: user.id, email })
      await outbox.putOrRefuse(trx, { to: email, ...newAddress(issued, baseUrl) })
      await outbox.put(trx, { to: user.email, ...changeWasAsked(clock.now(), baseUrl) })
    })
  }

  /**
   * Verifies the address that a token was mailed to. A new address replaces the account's. INVALID_TOKEN,
   * TOKEN_EXPIRED, PERMISSION_DENIED (suspended), VALIDATION_ERROR if another account has the new address.
   */
  async function verify(token: string, from: Client): Promise<void> {
    const known = await tokens.find(token, ['verify', 'change'])
    try {
      await database.transaction((trx) => use(trx, known, from))
    } catch (error) {
      if (violatedConstraint(error) !== 'users_email_unique') throw error
      throw new CodedError('VALIDATION_ERROR', {
        message: 'The new address already belongs to another account.',
        details: [{ path: 'token', message: 'Is for an address that already belongs to another account.' }],
        cause: error,
      })
    }
    logger.info({ userId: known.userId, purpose: known.purpose }, 'email address verified')
  }

  async function use(trx: Transaction, known: AccountToken, from: Client): Promise<void> {
    const user = await User.query(trx)
      .findById(known.userId ?? '')
      .forUpdate()
    await tokens.take(trx, known)
    assertThat(user && known.email !== null, 'INVALID_TOKEN')
    const now = clock.now()
    const sides = { before: { email: user.email }, after: { email: known.email } }
    await recordDeeds(trx, now, {
      ...ofAccount(user.id, 'verifyEmail', { ...from, userId: user.id, via: 'mail' }),
      ...sides,
    })
    await forgetTaken(trx, user.id)
    // Runs may have waited for the free credits of a verified address.
    await due.owner(trx, user.id)
    if (known.purpose === 'verify') {
      await User.query(trx).findById(user.id).patch({ emailVerifiedAt: now })
      return
    }
    // The limit counts this mail for the former address while the account still has it.
    await outbox.put(trx, { to: user.email, ...addressWasChanged(now, baseUrl) })
    await User.query(trx).findById(user.id).patch({ email: known.email, emailVerifiedAt: now })
    // A reader of the former address must not take over the account with older mails.
    await tokens.withdraw(trx, user.id, ['verify', 'change', 'reset'])
  }

  return { sendToken, sendAgain, askToChange, verify }
}

export type EmailChanges = ReturnType<typeof createEmailChanges>
