import type { Allowances } from '../billing/allowances.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { Deletion } from '../deletion/deletion.ts'
import { assertThat } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { networkOf, type RateLimits } from '../rate-limit.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Due } from '../runs/due.ts'
import { temporalUiAddresses } from '../temporal/ui-addresses.ts'
import { createAccessTokens } from './access-tokens.ts'
import { createApiKeys } from './api-keys.ts'
import { createAccountTokens } from './account-tokens.ts'
import { createEmailChanges } from './email-changes.ts'
import { createFirstAdmin } from './first-admin.ts'
import { createAuthenticate } from './authenticate.ts'
import { createAccountDeletion } from './account-deletion.ts'
import { requireLogin, type Caller } from './caller.ts'
import { createCodeCheck } from './code-check.ts'
import { createCsrfTokens } from './csrf.ts'
import { createLoginList } from './login-list.ts'
import { createLogins } from './logins.ts'
import { createPasswords, readNewPassword, type PasswordCost } from './passwords.ts'
import { createRecovery } from './recovery.ts'
import { createRegister } from './register.ts'
import { profileOf, type Profile } from './profile.ts'
import { passwordWasChanged } from './second-factor-mails.ts'
import { dropUnconfirmed } from './second-factor.ts'
import { createSecondFactors } from './second-factors.ts'
import { createLoginAttempts, type Proof } from './login-attempts.ts'
import { User } from './user.ts'

/** The users of the platform: registration, terms, passwords, logins, API keys and authentication. */
export function createUsers(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'http' | 'temporal' | 'accountGraceDays'>
  allowances: Allowances
  logger: Logger
  passwordCost: PasswordCost
  outbox: Pick<Outbox, 'put' | 'putOrRefuse'>
  due: Due
  rateLimits: Pick<RateLimits, 'accountMail' | 'change' | 'recovery' | 'recoveryOf' | 'tries'>
  sealing: Sealing
}) {
  const { database, clock, config, outbox, passwordCost } = context
  const passwords = createPasswords(passwordCost)
  const accessTokens = createAccessTokens(context)
  const codes = createCodeCheck(context)
  const tries = createLoginAttempts({ ...context, passwords, codes })
  const logins = createLogins({ ...context, accessTokens, tries })
  const tokens = createAccountTokens(context)
  const addresses = createEmailChanges({ ...context, tries, tokens })
  const { register, registerVerified } = createRegister({ ...context, passwords, tokens, addresses })
  const present = (user: User, ...more: [deletionDueAt?: Date | undefined, homeOwnerId?: string]): Profile =>
    profileOf(user, config.auth.termsVersion, ...more)

  /**
   * Changes the password, and ends all other logins and all sessions. UNAUTHORIZED for a wrong current password or
   * code, VALIDATION_ERROR.
   */
  async function changePassword(
    caller: Caller,
    request: Proof & { newPassword: string },
    address: string,
  ): Promise<void> {
    const loginId = requireLogin(caller)
    const newPassword = readNewPassword(request.newPassword, 'newPassword')
    const proved = await tries.prove(caller.userId, request, address)
    const { passwordHash: before, email } = proved.user
    const passwordHash = await passwords.hash(newPassword, networkOf(address))
    await database.transaction(async (trx) => {
      const same = User.query(trx).where({ id: caller.userId, passwordHash: before })
      const changed = await same.patch({ passwordHash })
      assertThat(changed === 1, 'UNAUTHORIZED', { message: 'Your password was changed during this request.' })
      await logins.endOthers(trx, caller.userId, loginId)
      // Someone with the old password may have requested another address.
      await tokens.withdraw(trx, caller.userId, ['change', 'reset'])
      await dropUnconfirmed(trx, caller.userId)
      await outbox.put(trx, { to: email, ...passwordWasChanged(clock.now(), config.http.baseUrl) })
    })
  }

  /** Records that the caller accepts the current terms. Safe to repeat. */
  async function acceptTerms(caller: Caller): Promise<Profile> {
    requireLogin(caller)
    const termsVersion = config.auth.termsVersion
    await User.query(database)
      .findById(caller.userId)
      .whereRaw('terms_version is distinct from :termsVersion', { termsVersion })
      .patch({ termsVersion, termsAcceptedAt: clock.now() })
    return me(caller)
  }

  const me = async (caller: Caller): Promise<Profile> => {
    const marked = await Deletion.query(database).findById(caller.userId).select('dueAt')
    const profile = present(await find(caller), marked?.dueAt, caller.reach.home)
    return caller.admin ? { ...profile, temporalUi: temporalUiAddresses(config.temporal) } : profile
  }

  async function find({ userId }: Caller): Promise<User> {
    const row = await User.query(database).findById(userId)
    assertThat(row, 'INVALID_TOKEN')
    return row
  }

  return {
    register: async (request: Parameters<typeof register>[0], address?: string): Promise<Profile> =>
      present(await register(request, address)),
    registerVerified,
    me,
    acceptTerms,
    changePassword,
    logins,
    loginList: createLoginList(context),
    addresses,
    tries,
    closing: createAccountDeletion({ ...context, tries, logins, tokens }),
    createFirstAdmin: createFirstAdmin({ ...context, passwords, logins, tokens }),
    recovery: createRecovery({ ...context, tries, passwords, logins, tokens }),
    async purge(): Promise<void> {
      await tokens.purge()
      await logins.purge()
    },
    apiKeys: createApiKeys(context),
    authenticate: createAuthenticate({ ...context, accessTokens }),
    secondFactors: createSecondFactors({ ...context, tries }),
    csrf: createCsrfTokens(context),
    publicKeys: accessTokens.publicKeys,
  }
}

export type Users = ReturnType<typeof createUsers>
