import { createHash } from 'node:crypto'
import { ofAccount, recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { networkOf, type RateLimits } from '../rate-limit.ts'
import type { Due } from '../runs/due.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { Identity } from '../sign-in/identity.ts'
import { passwordReset, passwordWasReset as mailOfReset } from './account-mails.ts'
import type { AccountTokens } from './account-tokens.ts'
import { readEmail } from './email.ts'
import type { Client, Logins } from './logins.ts'
import { readNewPassword, type Passwords } from './passwords.ts'
import { leftInAccount } from './left-in-account.ts'
import { passwordWasReset } from './second-factor.ts'
import { reclaimAccount } from './reclaim-account.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { User } from './user.ts'

/** The most requests in one round, so a stopping process ends soon. */
const batch = 100

/** Forgotten passwords: a mailed token replaces the password. */
export function createRecovery(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  logger: Logger
  outbox: Pick<Outbox, 'put'>
  rateLimits: Pick<RateLimits, 'recovery' | 'recoveryOf'>
  passwords: Passwords
  tries: Pick<LoginAttempts, 'forget'>
  logins: Pick<Logins, 'endEvery'>
  tokens: AccountTokens
  due: Pick<Due, 'owner'>
  sealing: Sealing
}) {
  const { database, clock, config, logger, outbox, rateLimits, passwords, tries, logins, tokens, due, sealing } =
    context
  const { baseUrl } = config.http

  /**
   * Records a request for a new password. `carryOut` looks for the account later, so neither the response nor its
   * timing reveals whether it exists. After a few requests for one address it silently does nothing: earlier tokens are
   * still valid. VALIDATION_ERROR (not an address), RATE_LIMITED after many from one client.
   */
  async function ask(written: string, clientAddress: string): Promise<void> {
    const email = readEmail(written)
    await rateLimits.recovery(clientAddress)
    if (!(await rateLimits.recoveryOf(createHash('sha256').update(email).digest('base64url')))) return
    await database('password_requests').insert({ id: newId(), createdAt: clock.now(), email })
  }

  /**
   * One round: mails tokens to requested addresses that have an account. Safe in several processes at the same time.
   */
  async function carryOut(): Promise<void> {
    for (let left = batch; left > 0; left -= 1) if (!(await database.transaction(carryOutOne))) return
  }

  async function carryOutOne(trx: Transaction): Promise<boolean> {
    const { rows } = await trx.raw<{ rows: { email: string }[] }>(takeStatement)
    const [request] = rows
    if (!request) return false
    const user = await User.query(trx).findOne({ email: request.email }).forNoKeyUpdate()
    if (!user) return true
    const issued = await tokens.issue(trx, { purpose: 'reset', userId: user.id, email: user.email })
    const isMailed = await outbox.put(trx, { to: user.email, ...passwordReset(issued, baseUrl) })
    logger.info({ userId: user.id, isMailed }, 'password reset requested')
    return true
  }

  /**
   * Replaces the password with a mailed token, and ends all logins and sessions. Unlinks providers that were linked
   * before the account had this address. Everything else stays and is listed in a mail, unless the address was never
   * verified (see `reclaimAccount`). The address is now verified. INVALID_TOKEN, TOKEN_EXPIRED, PERMISSION_DENIED
   * (suspended), VALIDATION_ERROR.
   */
  async function reset(request: { token: string; newPassword: string }, from: Client): Promise<void> {
    const newPassword = readNewPassword(request.newPassword, 'newPassword')
    const known = await tokens.find(request.token, ['reset'])
    const passwordHash = await passwords.hash(newPassword, networkOf(from.address))
    await database.transaction(async (trx) => {
      const user = await User.query(trx)
        .findById(known.userId ?? '')
        .forNoKeyUpdate()
      await tokens.take(trx, known)
      assertThat(user, 'INVALID_TOKEN')
      const emailVerifiedAt = user.emailVerifiedAt ?? clock.now()
      await User.query(trx).findById(user.id).patch({ passwordHash, emailVerifiedAt })
      // Including a change of address: someone with the old password may have requested it.
      await tokens.withdraw(trx, user.id, ['verify', 'change', 'reset'])
      await logins.endEvery(trx, user.id)
      await recordDeeds(
        trx,
        clock.now(),
        ofAccount(user.id, 'resetPassword', { ...from, userId: user.id, via: 'mail' }),
      )
      await passwordWasReset(trx, user.id)
      await unlinkFormer(trx, user)
      const isFirstProof = user.emailVerifiedAt === null
      if (isFirstProof) await reclaimAccount(trx, { userId: user.id, now: clock.now(), due, sealing })
      const left = await leftInAccount(trx, user.id)
      await outbox.put(trx, { to: user.email, ...mailOfReset({ now: clock.now(), isFirstProof, left }, baseUrl) })
    })
    await tries.forget(known.userId ?? '', from.address)
    logger.info({ userId: known.userId }, 'password reset')
  }

  /**
   * Unlinks providers linked before the account had its address: they may belong to a former holder of the account or
   * the address. Registering with a provider, or linking one, requires a verified address.
   */
  async function unlinkFormer(trx: Transaction, { id: userId, emailVerifiedAt }: User): Promise<void> {
    const linked = Identity.query(trx).where({ userId })
    await (emailVerifiedAt === null ? linked : linked.where('linkedAt', '<', emailVerifiedAt)).delete()
  }

  return { ask, carryOut, reset }
}

const takeStatement = `
  delete from password_requests
   where id = (select id from password_requests order by id limit 1 for update skip locked)
  returning email`
