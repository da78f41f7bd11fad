import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Deletion, requestDeletion } from '../deletion/deletion.ts'
import { assertThat } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Due } from '../runs/due.ts'
import { accountIsBeingClosed, accountIsKept, accountWillBeDeleted } from './account-mails.ts'
import type { AccountTokens } from './account-tokens.ts'
import { requireLogin, type Caller } from './caller.ts'
import type { Logins } from './logins.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { User } from './user.ts'

const daySeconds = 86_400

/**
 * Deletion of accounts by their owners. After a grace period, in which they can be restored, everything is deleted
 * (src/deletion).
 */
export function createAccountDeletion(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http' | 'accountGraceDays'>
  logger: Logger
  outbox: Pick<Outbox, 'put'>
  due: Due
  tries: Pick<LoginAttempts, 'prove'>
  logins: Pick<Logins, 'endEvery' | 'endOthers'>
  tokens: Pick<AccountTokens, 'withdraw'>
}) {
  const { database, clock, config, logger, outbox, due, tries, logins, tokens } = context
  const { baseUrl } = config.http

  /**
   * Marks the account for deletion, and ends all its sessions and other logins. API keys and agents are suspended, and
   * the subscription does not renew. Safe to repeat: the first time stays. UNAUTHORIZED for a wrong password or code.
   */
  async function close(
    caller: Caller,
    { password: currentPassword, code }: { password: string; code?: string | undefined },
    address: string,
  ): Promise<void> {
    const loginId = requireLogin(caller)
    const { user: before } = await tries.prove(caller.userId, { currentPassword, code }, address)
    await database.transaction(async (trx) => {
      const user = await User.query(trx).findById(before.id).forNoKeyUpdate()
      const changed = 'Your password was changed during this request.'
      assertThat(user?.passwordHash === before.passwordHash, 'UNAUTHORIZED', { message: changed })
      await mark(trx, user, () => logins.endOthers(trx, user.id, loginId), accountWillBeDeleted)
    })
    logger.info({ userId: caller.userId }, 'account deletion scheduled')
  }

  /** Repeating it keeps the first time. */
  async function mark(
    trx: Transaction,
    { id, email }: User,
    endLogins: () => Promise<void>,
    mail: typeof accountWillBeDeleted,
  ): Promise<void> {
    if (await Deletion.query(trx).findById(id)) return
    const now = clock.now()
    const dueAt = later(now, config.accountGraceDays * daySeconds)
    await requestDeletion(trx, id, now, dueAt)
    await endLogins()
    // Earlier mails must not let anyone take over or restore the account.
    await tokens.withdraw(trx, id, ['verify', 'change', 'reset'])
    await outbox.put(trx, { to: email, ...mail({ now, dueAt }, baseUrl) })
  }

  /**
   * Removes the mark. Everything resumes except logins, sessions and the subscription, which stays cancelled. Safe to
   * repeat. TOKEN_REVOKED once it is too late.
   */
  async function restore(caller: Caller): Promise<void> {
    requireLogin(caller)
    await database.transaction(async (trx) => {
      const user = await User.query(trx).findById(caller.userId).forNoKeyUpdate()
      assertThat(user, 'INVALID_TOKEN')
      await keep(trx, user)
    })
    logger.info({ userId: caller.userId }, 'account restored')
  }

  /** Removes the mark of a locked user, if any. TOKEN_REVOKED once it is too late. */
  async function keep(trx: Transaction, user: User): Promise<void> {
    const marked = await Deletion.query(trx).findById(user.id).forUpdate()
    if (!marked) return
    assertThat(marked.begunAt === null, 'TOKEN_REVOKED', { message: beingDeleted })
    await Deletion.query(trx).deleteById(user.id)
    // Runs may be waiting since then.
    await due.owner(trx, user.id)
    await outbox.put(trx, { to: user.email, ...accountIsKept(clock.now(), baseUrl) })
  }

  return {
    close,
    restore,
    keep,

    /** Marks a locked user's account for an operator, and ends all its logins and sessions. Safe to repeat. */
    markFor: (trx: Transaction, user: User): Promise<void> =>
      mark(trx, user, () => logins.endEvery(trx, user.id), accountIsBeingClosed),
  }
}

export const beingDeleted = 'This account can no longer be restored because it is being deleted.'
