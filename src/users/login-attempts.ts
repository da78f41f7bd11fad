import { later, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { networkOf, type RateLimits } from '../rate-limit.ts'
import { hashToken } from '../secrets/opaque-tokens.ts'
import type { CodeCheck } from './code-check.ts'
import { normalizeEmail } from './email.ts'
import { Login } from './login.ts'
import { assertPassword, type Passwords } from './passwords.ts'
import { User } from './user.ts'

/** For how long the network of a login is known, and how many logins are looked at. */
const knownSeconds = 90 * 86_400
const mostLogins = 200

/** What somebody shows to prove that an account is theirs. */
export interface Shown {
  currentPassword: string
  code?: string | undefined
}

/**
 * Attempts at passwords and codes, wherever one can be tried: so many wrong ones an hour for each account, from all addresses
 * together. Networks from which the account was logged in to lately are counted separately: a stranger who uses
 * up the tries keeps its owner out of no place where they have been.
 */
export function createLoginAttempts(context: {
  database: Database
  clock: Clock
  rateLimits: Pick<RateLimits, 'tries'>
  passwords: Passwords
  codes: CodeCheck
}) {
  const { database, clock, rateLimits, passwords, codes } = context

  async function isKnown(userId: string, network: string): Promise<boolean> {
    const logins = await Login.query(database)
      .where({ userId, workspaceId: null })
      .where('createdAt', '>', later(clock.now(), -knownSeconds))
      .orderBy('createdAt', 'desc')
      .limit(mostLogins)
      .select('address')
    return logins.some(({ address }) => address !== null && networkOf(address) === network)
  }

  /** What tries are counted by. Those for an address without an account count, too: the answers are the same. */
  async function keyOf(of: User | { email: string }, network: string): Promise<string> {
    if (!('id' in of)) return hashToken(of.email)
    return (await isKnown(of.id, network)) ? `${of.id} ${network}` : of.id
  }

  /**
   * Checks a password, and what comes after it, as one try, which is given back unless something was wrong. `of` without an
   * id is no account: that takes as long. UNAUTHORIZED with the message, RATE_LIMITED.
   */
  async function attempt<T>(
    of: User | { email: string },
    { password, message, address }: { password: string; message: string; address: string },
    then: (giveBack: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const network = networkOf(address)
    const key = await keyOf(of, network)
    await rateLimits.tries.take(key)
    const giveBack = () => rateLimits.tries.giveBack(key)
    const stored = 'id' in of ? of.passwordHash : undefined
    assertThat(await passwords.verify(stored, password, network), 'UNAUTHORIZED', { message })
    return then(giveBack)
  }

  /** A code is tried only if one was sent: asking for it is no failure. */
  async function proveCode(user: User, code: string | undefined, giveBack: () => Promise<void>) {
    if (code === undefined) await giveBack()
    const factorId = await codes.prove(user, code)
    if (code !== undefined) await giveBack()
    return factorId
  }

  async function find(userId: string): Promise<User> {
    const user = await User.query(database).findById(userId)
    assertThat(user, 'INVALID_TOKEN')
    return user
  }

  const message = 'The current password is wrong.'

  return {
    /** Who logs in. UNAUTHORIZED for an unknown address, a wrong password, a missing or wrong code; RATE_LIMITED. */
    async logIn(
      { email: written, password, code }: { email: string; password: string; code?: string | undefined },
      address: string,
    ) {
      const email = normalizeEmail(written)
      const user = email === undefined ? undefined : await User.query(database).findOne({ email })
      const wrong = 'The email address or the password is wrong.'
      return attempt(user ?? { email: email ?? written }, { password, message: wrong, address }, async (giveBack) => {
        assertThat(user, 'UNAUTHORIZED', { message: wrong })
        return { user, factorId: await proveCode(user, code, giveBack) }
      })
    },

    /** The account of a caller who knows its password. UNAUTHORIZED, RATE_LIMITED. */
    async password(userId: string, currentPassword: string, address: string): Promise<User> {
      const user = await find(userId)
      assertPassword(user.passwordHash)
      await attempt(user, { password: currentPassword, message, address }, (giveBack) => giveBack())
      return user
    },

    /**
     * The account of a caller who knows its password and has its second factor, if it has one: a stolen login and a stolen
     * password are not enough to change how it is logged in to. UNAUTHORIZED, RATE_LIMITED.
     */
    async prove(userId: string, { currentPassword, code }: Shown, address: string) {
      const user = await find(userId)
      assertPassword(user.passwordHash)
      const factorId = await attempt(user, { password: currentPassword, message, address }, (giveBack) =>
        proveCode(user, code, giveBack),
      )
      return { user, factorId }
    },

    /** A new password ends the wait, for strangers and for whoever has chosen it. */
    async forget(userId: string, address: string): Promise<void> {
      await rateLimits.tries.forget(userId)
      await rateLimits.tries.forget(`${userId} ${networkOf(address)}`)
    },
  }
}

export type LoginAttempts = ReturnType<typeof createLoginAttempts>
