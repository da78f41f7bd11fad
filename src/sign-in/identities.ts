import { recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Deletion } from '../deletion/deletion.ts'
import { assertThat } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { providerWasLinked } from '../users/account-mails.ts'
import { endLogins, Login } from '../users/login.ts'
import type { Client, TokenPair } from '../users/logins.ts'
import { assertActive } from '../owners/suspension.ts'
import { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'
import { Identity } from './identity.ts'
import type { Claims, VerifiedAddress } from './oidc-client.ts'
import { workspaceOf, type Provider } from './provider.ts'
import { assertProviderMember } from './assert-member.ts'

/** The most providers that an account can link. */
const most = 20

/** The account to link, its login, and the client. */
interface Linker extends Client {
  userId: string
  loginId: string
}

/** A user's identity at a provider. */
type Who = Pick<Claims, 'issuer' | 'subject'>

/** Identities at providers: sign in, link, list and unlink. */
export function createIdentities(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  logger: Logger
  rateLimits: Pick<RateLimits, 'change'>
  outbox: Pick<Outbox, 'put'>
  users: Pick<Users, 'registerVerified' | 'logins'>
}) {
  const { database, clock, config, logger, outbox, rateLimits, users } = context

  /** Matches issuer and subject only; for a workspace's provider, only among its own identities. */
  const matching = (db: Database | Transaction, { workspaceProviderId }: Provider, { issuer, subject }: Who) =>
    Identity.query(db).findOne({ issuer, subject, workspaceProviderId })

  /** VALIDATION_ERROR if a concurrent request linked the identity first. */
  async function add(trx: Transaction, userId: string, provider: Provider, who: Who): Promise<Identity> {
    const { issuer, subject } = who
    const { id: name, workspaceProviderId } = provider
    const row = { id: newId(), userId, provider: name, workspaceProviderId, issuer, subject, linkedAt: clock.now() }
    await Identity.query(trx).insert(row).onConflict().ignore()
    const added = await Identity.query(trx).findById(row.id)
    assertThat(added, 'VALIDATION_ERROR', { message: others, details: [{ path: 'provider', message: others }] })
    return added
  }

  async function register(trx: Transaction, provider: Provider, who: Who, address: VerifiedAddress | undefined) {
    assertThat(provider.workspaceProviderId === null, 'PERMISSION_DENIED', { message: linkFirst })
    const { problem } = { problem: meanwhile, ...address }
    assertThat(address && 'email' in address, 'PERMISSION_DENIED', { message: `${problem} ${asUsual}` })
    const user = await users.registerVerified(trx, address.email)
    return add(trx, user.id, provider, who)
  }

  /** Refuses users who have logged out since or whose address is not verified. The user's row is locked. */
  async function assertLinker(trx: Transaction, { userId, loginId }: { userId: string; loginId: string }) {
    const user = await User.query(trx).findById(userId).forNoKeyUpdate()
    const login = await Login.query(trx).findById(loginId).where({ userId }).whereNull('revokedAt')
    assertThat(user && login, 'PERMISSION_DENIED', {
      message: 'You have been signed out since you started. Start again.',
    })
    assertActive(user)
    assertThat(user.emailVerifiedAt !== null, 'PERMISSION_DENIED', { message: unverified })
    const isClosing = await Deletion.query(trx).findById(userId)
    assertThat(!isClosing, 'PERMISSION_DENIED', { message: 'This account is scheduled for deletion.' })
    const count = await Identity.query(trx).where({ userId }).resultSize()
    assertThat(count < most, 'FEATURE_LIMIT_REACHED', {
      message: `An account can have at most ${most} sign-in providers.`,
    })
    return user
  }

  /**
   * Under the user's lock: a user without a password keeps one way to sign in. A workspace's provider does not count,
   * because it opens only that workspace.
   */
  async function assertNotLast(trx: Transaction, user: User | undefined, identity: Identity): Promise<void> {
    if (user?.passwordHash !== null || identity.workspaceProviderId !== null) return
    const others = Identity.query(trx)
      .where({ userId: user.id, workspaceProviderId: null })
      .whereNot({ id: identity.id })
    assertThat((await others.resultSize()) > 0, 'PERMISSION_DENIED', { message: lastWay })
  }

  /**
   * Locks what permits a login, so that a removal comes entirely before or after it: first the user, as everywhere,
   * then the membership and the provider, and last the identity, which is removed with them.
   */
  async function assertUnchanged(trx: Transaction, provider: Provider, by: { identityId: string; userId: string }) {
    await User.query(trx).findById(by.userId).select('id').forShare()
    const workspaceId = workspaceOf(provider)
    if (workspaceId !== null) await assertProviderMember(trx, provider, { workspaceId, userId: by.userId })
    const linked = await Identity.query(trx).findById(by.identityId).forShare()
    assertThat(linked, 'PERMISSION_DENIED', { message: 'The sign-in provider was unlinked during this sign-in.' })
  }

  /** Writes to the user's log, and to that of the provider's workspace. */
  async function noteLink(trx: Transaction, by: Linker, workspaceId: string | null, made: Identity): Promise<void> {
    const { userId, loginId, address, userAgent } = by
    const { id, issuer, provider, linkedAt } = made
    const deed = {
      action: 'linkIdentity',
      subjectKind: 'identity',
      subjectId: id,
      after: { issuer, provider },
    } as const
    const actor = { userId, via: 'login' as const, viaId: loginId, address, userAgent }
    const owners = workspaceId === null ? [userId] : [userId, workspaceId]
    await recordDeeds(trx, linkedAt, ...owners.map((ownerId) => ({ ...deed, ownerId, by: actor })))
  }

  return {
    isKnown: async (provider: Provider, who: Who): Promise<boolean> =>
      (await matching(database, provider, who)) !== undefined,

    /**
     * Opens a login for a user whom a provider signed in: through a linked identity, or for a new account with the
     * verified address, if permitted. PERMISSION_DENIED, VALIDATION_ERROR (an account has the address).
     */
    async signIn(
      provider: Provider,
      who: Who,
      { address, from }: { address: VerifiedAddress | undefined; from: Client },
    ) {
      const before = await matching(database, provider, who)
      if (before) await rateLimits.change(before.userId)
      return database.transaction(async (trx): Promise<TokenPair> => {
        const known = await matching(trx, provider, who)
        const { id: identityId, userId } = known ?? (await register(trx, provider, who, address))
        await assertUnchanged(trx, provider, { identityId, userId })
        logger.info({ userId, provider: provider.id }, 'user signed in through a provider')
        const by = { userId, identityId, workspaceId: workspaceOf(provider) }
        return users.logins.openThrough(trx, by, from)
      })
    },

    /**
     * Links a provider to an account. VALIDATION_ERROR if another account has linked it, PERMISSION_DENIED,
     * FEATURE_LIMIT_REACHED.
     */
    link: (by: Linker, provider: Provider, who: Who): Promise<void> =>
      database.transaction(async (trx) => {
        const user = await assertLinker(trx, by)
        const workspaceId = workspaceOf(provider)
        if (workspaceId !== null) await assertProviderMember(trx, provider, { workspaceId, userId: by.userId })
        const known = await matching(trx, provider, who)
        if (known?.userId === by.userId) return
        await noteLink(trx, by, workspaceId, await add(trx, by.userId, provider, who))
        const mail = providerWasLinked(provider.title, clock.now(), config.http.baseUrl)
        await outbox.put(trx, { to: user.email, ...mail })
        logger.info({ userId: by.userId, provider: provider.id }, 'sign-in provider linked')
      }),

    /** A user's identity, or undefined. */
    find: async (userId: string, id: string): Promise<Identity | undefined> =>
      isId(id) ? Identity.query(database).findOne({ id, userId }) : undefined,

    list: (userId: string): Promise<Identity[]> =>
      Promise.resolve(Identity.query(database).where({ userId }).orderBy('id', 'desc')),

    /** Unlinks a provider, and ends the logins that it opened, except the current one. NOT_FOUND, PERMISSION_DENIED. */
    unlink: ({ userId, loginId }: { userId: string; loginId: string }, id: string): Promise<void> =>
      database.transaction(async (trx) => {
        const user = await User.query(trx).findById(userId).forNoKeyUpdate()
        const identity = isId(id) ? await Identity.query(trx).findOne({ id, userId }) : undefined
        assertThat(identity, 'NOT_FOUND', { message: 'There is no linked provider with this id.' })
        await assertNotLast(trx, user, identity)
        await Identity.query(trx).deleteById(id)
        await endLogins(trx, { identityId: id }, { now: clock.now(), exceptId: loginId })
      }),
  }
}

export type Identities = ReturnType<typeof createIdentities>

export const unverified = 'Verify your email address first with the token we emailed to you.'
const linkFirst =
  "No member of this workspace has linked this identity. Sign in to your account as usual, then link the workspace's provider."
const meanwhile = 'The provider was unlinked from your account during this sign-in.'
const asUsual = 'Create an account as usual, then link the provider.'
const others = 'This identity is already linked to another account.'
const lastWay = 'This is the only way to sign in to your account. First set a password with POST /auth/forgot-password.'
