import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { RateLimits } from '../rate-limit.ts'
import { createAccessTokens } from './access-tokens.ts'
import { createApiKeys } from './api-keys.ts'
import { createAccountTokens } from './account-tokens.ts'
import { createAddresses } from './addresses.ts'
import { createAuthenticate } from './authenticate.ts'
import { requireLogin, type Caller } from './caller.ts'
import { readEmail } from './email.ts'
import { createLoginList } from './login-list.ts'
import { createLogins } from './logins.ts'
import { createPasswords, readNewPassword, type PasswordCost } from './passwords.ts'
import { createRecovery } from './recovery.ts'
import { profileOf, type Profile } from './profile.ts'
import { User } from './user.ts'

const taken = {
  message: 'There is already an account with this email address.',
  details: [{ path: 'email', message: 'Is taken.' }],
}

const closed = 'Accounts are not given to everybody here. Ask the operator of this platform for one.'

/** The users of the platform: registration, terms, passwords, logins, API keys and authentication. */
export function createUsers(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'http'>
  logger: Logger
  passwordCost: PasswordCost
  outbox: Pick<Outbox, 'put'>
  rateLimits: Pick<RateLimits, 'accountMail' | 'recovery' | 'recoveryOf'>
}) {
  const { database, clock, config, logger, passwordCost } = context
  const passwords = createPasswords(passwordCost)
  const accessTokens = createAccessTokens(context)
  const logins = createLogins({ ...context, accessTokens, passwords })
  const tokens = createAccountTokens(context)
  const addresses = createAddresses({ ...context, passwords, tokens })
  const present = (user: User): Profile => profileOf(user, config.auth.termsVersion)

  /**
   * Creates an account, and mails a token that verifies its address. PERMISSION_DENIED where registration is closed. VALIDATION_ERROR for a bad address or password,
   * or for a taken address, with equal work.
   */
  async function register(request: { email: string; password: string }): Promise<Profile> {
    assertThat(config.auth.registration === 'open', 'PERMISSION_DENIED', { message: closed })
    const email = readEmail(request.email)
    const passwordHash = await passwords.hash(readNewPassword(request.password, 'password'))
    const id = newId()
    // No look-up first: the constraint decides after the same work, and between parallel requests too.
    const row = { id, email, passwordHash, createdAt: clock.now() }
    const made = await database.transaction(async (trx) => {
      await User.query(trx).insert(row).onConflict('email').ignore()
      const inserted = await User.query(trx).findById(id)
      assertThat(inserted, 'VALIDATION_ERROR', taken)
      await addresses.sendToken(trx, inserted)
      return inserted
    })
    logger.info({ userId: id }, 'registered')
    return present(made)
  }

  /** Changes the password and ends all other logins, and all sessions. UNAUTHORIZED if the current one is wrong, VALIDATION_ERROR. */
  async function changePassword(
    caller: Caller,
    request: { currentPassword: string; newPassword: string },
  ): Promise<void> {
    const loginId = requireLogin(caller)
    const newPassword = readNewPassword(request.newPassword, 'newPassword')
    const { passwordHash: before } = await find(caller)
    const matches = await passwords.verify(before, request.currentPassword)
    assertThat(matches, 'UNAUTHORIZED', { message: 'The current password is wrong.' })
    const passwordHash = await passwords.hash(newPassword)
    await database.transaction(async (trx) => {
      const same = User.query(trx).where({ id: caller.userId, passwordHash: before })
      const changed = await same.patch({ passwordHash })
      assertThat(changed === 1, 'UNAUTHORIZED', { message: 'The password was changed in the meantime.' })
      await logins.endOthers(trx, caller.userId, loginId)
      // Whoever knew the former password may have asked for another address.
      await tokens.withdraw(trx, caller.userId, ['change', 'reset'])
    })
  }

  /** Records when the caller accepts the terms in force. Safe to repeat. */
  async function acceptTerms(caller: Caller): Promise<Profile> {
    requireLogin(caller)
    const termsVersion = config.auth.termsVersion
    await User.query(database)
      .findById(caller.userId)
      .whereRaw('terms_version is distinct from :termsVersion', { termsVersion })
      .patch({ termsVersion, termsAcceptedAt: clock.now() })
    return me(caller)
  }

  const me = async (caller: Caller): Promise<Profile> => present(await find(caller))

  async function find({ userId }: Caller): Promise<User> {
    const row = await User.query(database).findById(userId)
    assertThat(row, 'INVALID_TOKEN')
    return row
  }

  return {
    register,
    me,
    acceptTerms,
    changePassword,
    logins,
    loginList: createLoginList(context),
    addresses,
    recovery: createRecovery({ ...context, passwords, logins, tokens }),
    purge: tokens.purge,
    apiKeys: createApiKeys(context),
    authenticate: createAuthenticate({ ...context, accessTokens }),
    publicKeys: accessTokens.publicKeys,
  }
}
