import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { requireLogin, type Caller } from './caller.ts'
import { secretPlace, wrongCode } from './code-check.ts'
import { codesWereRenewed, factorWasAdded, factorWasRemoved } from './second-factor-mails.ts'
import { activeFactor, RecoveryCode, SecondFactor } from './second-factor.ts'
import { addressOf, hashRecoveryCode, newRecoveryCodes, newSecret, stepOf, tidy } from './totp.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { User } from './user.ts'

/** How long a secret waits for its first code, in seconds. */
const setUpSeconds = 3600

/** The proof that a change requires: the password, and a code or a recovery code. */
interface Proof {
  currentPassword: string
  code: string
}

/** A user's second factor: set up, renew recovery codes, remove. */
export function createSecondFactors(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  logger: Logger
  sealing: Sealing
  outbox: Pick<Outbox, 'put'>
  tries: Pick<LoginAttempts, 'password' | 'prove'>
}) {
  const { database, clock, config, logger, sealing, outbox, tries } = context
  const { baseUrl } = config.http

  /** When logins began to require a code, and the number of recovery codes left; null and 0 without a factor. */
  async function state({ userId }: Caller): Promise<{ enabledAt: Date | null; recoveryCodesLeft: number }> {
    const factor = await activeFactor(database, userId)
    if (!factor) return { enabledAt: null, recoveryCodesLeft: 0 }
    const recoveryCodesLeft = await RecoveryCode.query(database).where({ factorId: factor.id }).resultSize()
    return { enabledAt: factor.confirmedAt, recoveryCodesLeft }
  }

  /**
   * Creates a secret for an authenticator app, and replaces an unconfirmed one. UNAUTHORIZED for a wrong password,
   * VALIDATION_ERROR if the account already has a second factor.
   */
  async function start(
    caller: Caller,
    currentPassword: string,
    address: string,
  ): Promise<{ secret: string; otpauthUri: string }> {
    requireLogin(caller)
    const user = await tries.password(caller.userId, currentPassword, address)
    const [id, secret] = [newId(), newSecret()]
    await database.transaction(async (trx) => {
      await lockUnchanged(trx, user)
      const message = 'This account already has an authenticator app. Remove it first with DELETE /auth/totp.'
      assertThat(!(await activeFactor(trx, user.id)), 'VALIDATION_ERROR', { message })
      await SecondFactor.query(trx).where({ userId: user.id }).delete()
      const sealed = sealing.seal(secret, secretPlace(id))
      await SecondFactor.query(trx).insert({ id, userId: user.id, createdAt: clock.now(), secret: sealed })
    })
    return { secret, otpauthUri: addressOf(secret, { host: new URL(baseUrl).host, email: user.email }) }
  }

  /**
   * Turns the factor on if the code is right. Returns the recovery codes, which are stored nowhere else. NOT_FOUND if
   * no set-up started within the hour, UNAUTHORIZED.
   */
  async function confirm(caller: Caller, code: string): Promise<string[]> {
    requireLogin(caller)
    const { userId } = caller
    return database.transaction(async (trx) => {
      const user = await User.query(trx).findById(userId).forNoKeyUpdate()
      const now = clock.now()
      const begun = SecondFactor.query(trx).findOne({ userId }).whereNull('confirmedAt')
      const factor = await begun.where('createdAt', '>', later(now, -setUpSeconds))
      assertThat(user && factor, 'NOT_FOUND', { message: 'Start with POST /auth/totp, then confirm within one hour.' })
      const lastStep = stepOf(sealing.open(factor.secret, secretPlace(factor.id)), tidy(code), now)
      assertThat(lastStep !== undefined, 'UNAUTHORIZED', wrongCode)
      await SecondFactor.query(trx).findById(factor.id).patch({ confirmedAt: now, lastStep })
      await outbox.put(trx, { to: user.email, ...factorWasAdded(now, baseUrl) })
      logger.info({ userId }, 'second factor added')
      return renew(trx, factor.id)
    })
  }

  /**
   * New recovery codes, which replace all earlier ones. UNAUTHORIZED, RATE_LIMITED, NOT_FOUND without a second factor.
   */
  const renewCodes = (caller: Caller, proof: Proof, address: string): Promise<string[]> =>
    change(caller, { ...proof, address }, async (trx, user, factorId) => {
      await outbox.put(trx, { to: user.email, ...codesWereRenewed(clock.now(), baseUrl) })
      return renew(trx, factorId)
    })

  /**
   * Removes the factor: the password is enough again. UNAUTHORIZED, RATE_LIMITED, NOT_FOUND without a second factor.
   */
  const remove = (caller: Caller, proof: Proof, address: string): Promise<void> =>
    change(caller, { ...proof, address }, async (trx, user, factorId) => {
      await SecondFactor.query(trx).findById(factorId).delete()
      await outbox.put(trx, { to: user.email, ...factorWasRemoved(clock.now(), baseUrl) })
      logger.info({ userId: user.id }, 'second factor removed')
    })

  /** Checks password and code, then makes a change with the user's row locked. */
  async function change<T>(
    caller: Caller,
    { address, ...proof }: Proof & { address: string },
    work: (trx: Transaction, user: User, factorId: string) => Promise<T>,
  ): Promise<T> {
    requireLogin(caller)
    const { user, factorId: proved } = await tries.prove(caller.userId, proof, address)
    return database.transaction(async (trx) => {
      await lockUnchanged(trx, user)
      const factor = await activeFactor(trx, user.id)
      assertThat(factor && factor.id === proved, 'NOT_FOUND', { message: none })
      return work(trx, user, factor.id)
    })
  }

  async function renew(trx: Transaction, factorId: string): Promise<string[]> {
    const made = newRecoveryCodes()
    await RecoveryCode.query(trx).where({ factorId }).delete()
    await RecoveryCode.query(trx).insert(made.map((code) => ({ factorId, codeHash: hashRecoveryCode(code) })))
    return made
  }

  return { state, start, confirm, renewCodes, remove }
}

/** Locks the user's row. UNAUTHORIZED if the password has changed since the check. */
async function lockUnchanged(trx: Transaction, { id, passwordHash }: User): Promise<void> {
  const user = await User.query(trx).findById(id).forNoKeyUpdate()
  const message = 'Your password was changed during this request.'
  assertThat(user?.passwordHash === passwordHash, 'UNAUTHORIZED', { message })
}

const none = 'This account has no authenticator app.'
