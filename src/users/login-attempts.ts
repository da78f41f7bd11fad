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

/** How long a login's network stays known, and how many logins are read. */
const knownSeconds = 90 * 86_400
const mostLogins = 200

/** Proof that an account is the caller's. */
export interface Proof {
  currentPassword: string
  code?: string | undefined
}

/**
 * Attempts at passwords and codes, wherever one can be tried. Each account has an hourly limit of wrong ones, across
 * all addresses. Networks with recent logins of the account count separately, so a stranger who uses up the limit does
 * not lock the owner out there.
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

  /** The key of the limit. Attempts at unknown addresses count too, so the responses do not differ. */
  async function keyOf(of: User | { email: string }, network: string): Promise<string> {
    if (!('id' in of)) return hashToken(of.email)
    return (await isKnown(of.id, network)) ? `${of.id} ${network}` : of.id
  }

  /**
   * Checks a password and what follows it as one attempt. Success returns the attempt. An `of` without an id is an
   * unknown account, which takes equally long. UNAUTHORIZED with the message, RATE_LIMITED.
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

  /** A missing code does not count as an attempt. */
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
    /**
     * The user who logs in. UNAUTHORIZED for an unknown address, a wrong password, or a missing or wrong code;
     * RATE_LIMITED.
     */
    async logIn(
      { email: written, password, code }: { email: string; password: string; code?: string | undefined },
      address: string,
    ) {
      const email = normalizeEmail(written)
      const user = email === undefined ? undefined : await User.query(database).findOne({ email })
      const wrong = 'The email address or password is wrong.'
      return attempt(user ?? { email: email ?? written }, { password, message: wrong, address }, async (giveBack) => {
        assertThat(user, 'UNAUTHORIZED', { message: wrong })
        return { user, factorId: await proveCode(user, code, giveBack) }
      })
    },

    /** The caller's account, if the password is right. UNAUTHORIZED, RATE_LIMITED. */
    async password(userId: string, currentPassword: string, address: string): Promise<User> {
      const user = await find(userId)
      assertPassword(user.passwordHash)
      await attempt(user, { password: currentPassword, message, address }, (giveBack) => giveBack())
      return user
    },

    /**
     * The caller's account, if the password and any second factor are right. So a stolen login plus a stolen password
     * cannot change how the account is protected. UNAUTHORIZED, RATE_LIMITED.
     */
    async prove(userId: string, { currentPassword, code }: Proof, address: string) {
      const user = await find(userId)
      assertPassword(user.passwordHash)
      const factorId = await attempt(user, { password: currentPassword, message, address }, (giveBack) =>
        proveCode(user, code, giveBack),
      )
      return { user, factorId }
    },

    /** Resets the count after a new password, for strangers and for the owner. */
    async forget(userId: string, address: string): Promise<void> {
      await rateLimits.tries.forget(userId)
      await rateLimits.tries.forget(`${userId} ${networkOf(address)}`)
    },
  }
}

export type LoginAttempts = ReturnType<typeof createLoginAttempts>
