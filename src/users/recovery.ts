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

/** The most requests that one round carries out, so that a stopping process ends soon. */
const batch = 100

/** Forgotten passwords: a token is mailed to the address, and replaces the password. */
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
   * Notes that somebody wants a new password. Whether there is an account is looked at later, by `carryOut`: neither the
   * answer nor its time can tell. Does nothing, without a word, after a few for one address: the tokens from before are
   * good still. VALIDATION_ERROR if it is not an address, RATE_LIMITED after many from one client.
   */
  async function ask(written: string, clientAddress: string): Promise<void> {
    const email = readEmail(written)
    await rateLimits.recovery(clientAddress)
    if (!(await rateLimits.recoveryOf(createHash('sha256').update(email).digest('base64url')))) return
    await database('password_requests').insert({ id: newId(), createdAt: clock.now(), email })
  }

  /** One round: mails tokens to those who asked and have an account. Safe in several processes at once. */
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
   * Replaces the password with a token that was mailed, and ends all logins and sessions. Providers that were linked before
   * the account had this address are unlinked. All else stays and is named in a mail, unless the address was never verified
   * (see `reclaimAccount`); now it is, since its mail was read. INVALID_TOKEN, TOKEN_EXPIRED, PERMISSION_DENIED (suspended), VALIDATION_ERROR.
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
      // A change of address, too: whoever knew the former password may have asked for it.
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
   * Unlinks the providers that were linked before the account had its address: they may be those of somebody who has had the
   * account, or the address, before. Whoever registers or links by a provider has a verified address first.
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
