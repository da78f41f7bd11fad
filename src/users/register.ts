import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import { networkOf } from '../rate-limit.ts'
import type { AccountToken } from './account-token.ts'
import type { AccountTokens } from './account-tokens.ts'
import type { EmailChanges } from './email-changes.ts'
import { readEmail } from './email.ts'
import { readNewPassword, type Passwords } from './passwords.ts'
import { User } from './user.ts'

/** VALIDATION_ERROR for a new account. */
export const taken = {
  message: 'An account with this email address already exists.',
  details: [{ path: 'email', message: 'Is taken.' }],
}

const closed = 'Registration is closed. Ask the platform operator for an account.'
const uninvited = 'Registration requires an invitation. Ask the platform operator for one.'

const notLinked =
  'An account with your email address already exists. Sign in to it as usual, then link the sign-in provider.'

interface Registration {
  email: string
  password: string
  /** An invitation's token; ignored unless one is required. */
  invitation?: string | undefined
}

/** Registration: open, by invitation, or closed. */
export function createRegister(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth'>
  logger: Logger
  passwords: Passwords
  tokens: AccountTokens
  addresses: Pick<EmailChanges, 'sendToken'>
}) {
  const { database, clock, config, logger, passwords, tokens, addresses } = context

  /** The invitation that allows this address; undefined if none is required. */
  async function invitationFor(email: string, token: string | undefined): Promise<AccountToken | undefined> {
    if (config.auth.registration === 'open') return undefined
    assertThat(token !== undefined, 'PERMISSION_DENIED', { message: uninvited })
    const found = await tokens.find(token, ['invite'])
    assertThat(found.email === email, 'INVALID_TOKEN', { message: 'This invitation is for another address.' })
    return found
  }

  /**
   * Creates an account and mails a token that verifies its address. PERMISSION_DENIED if registration is closed or
   * needs an invitation; INVALID_TOKEN, TOKEN_EXPIRED for a bad one. VALIDATION_ERROR for a bad address or password, or
   * for a taken address, with equal work.
   */
  async function register(request: Registration, address = ''): Promise<User> {
    assertThat(config.auth.registration !== 'closed', 'PERMISSION_DENIED', { message: closed })
    const email = readEmail(request.email)
    const password = readNewPassword(request.password, 'password')
    const invitation = await invitationFor(email, request.invitation)
    const passwordHash = await passwords.hash(password, networkOf(address))
    const id = newId()
    // No lookup first: the constraint decides after the same work, also between parallel requests.
    const row = { id, email, passwordHash, createdAt: clock.now() }
    const made = await database.transaction(async (trx) => {
      await User.query(trx).insert(row).onConflict('email').ignore()
      const inserted = await User.query(trx).findById(id)
      assertThat(inserted, 'VALIDATION_ERROR', taken)
      if (invitation) await tokens.take(trx, invitation)
      await addresses.sendToken(trx, inserted)
      return inserted
    })
    logger.info({ userId: id }, 'user registered')
    return made
  }
  /** An address's invitation, which a verified address may use without the token. */
  async function invitationOf(trx: Transaction, email: string): Promise<AccountToken | undefined> {
    if (config.auth.registration === 'open') return undefined
    const found = await tokens.invitationOf(trx, email)
    assertThat(found, 'PERMISSION_DENIED', { message: uninvited })
    return found
  }

  /**
   * Creates an account without a password for a user whom the installation's provider signed in, in the caller's
   * transaction. PERMISSION_DENIED if registration is closed or this address needs an invitation. VALIDATION_ERROR if
   * an account has the address: it may be another person's and stays untouched.
   */
  async function registerVerified(trx: Transaction, written: string): Promise<User> {
    assertThat(config.auth.registration !== 'closed', 'PERMISSION_DENIED', { message: closed })
    const email = readEmail(written)
    const invitation = await invitationOf(trx, email)
    const now = clock.now()
    const row = { id: newId(), email, emailVerifiedAt: now, passwordHash: null, createdAt: now }
    await User.query(trx).insert(row).onConflict('email').ignore()
    const made = await User.query(trx).findById(row.id)
    assertThat(made, 'VALIDATION_ERROR', { ...taken, message: notLinked })
    if (invitation) await tokens.take(trx, invitation)
    logger.info({ userId: made.id }, 'user registered through a sign-in provider')
    return made
  }

  return { register, registerVerified }
}
