import { howToGetMore } from '../billing/allowances.ts'
import { recordDeeds, type Actor } from '../audit/audit-entry.ts'
import type { Billing } from '../billing/billing.ts'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import { Deletion } from '../deletion/deletion.ts'
import { assertThat } from '../errors.ts'
import { firstIdAt, isId, newId } from '../ids.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { lockPayers } from '../owners/lock-payers.ts'
import { paidWith } from '../owners/payer.ts'
import { closed } from '../owners/reach.ts'
import { can } from '../owners/roles.ts'
import { hashToken, isToken, newToken } from '../secrets/opaque-tokens.ts'
import type { Caller } from '../users/caller.ts'
import { readEmail } from '../users/email.ts'
import { lockOwner, User } from '../users/user.ts'
import { Invitation, type InvitedRole } from './invitation.ts'
import { invitationMail } from './invitation-mail.ts'
import { Member } from './member.ts'
import { assertMembershipLimit } from './assert-membership-limit.ts'
import { Workspace } from './workspace.ts'

/** How long an invitation is valid, in seconds. */
const goodSeconds = 7 * 86_400
/** Limits on the invitations that one account's workspaces mail, because the inviter chooses the addresses. */
const most = [
  { count: 50, seconds: 3600, time: 'an hour' },
  { count: 200, seconds: 86_400, time: 'a day' },
]

/** What the holder of a token sees before accepting. */
export interface InvitationPreview {
  workspace: string
  inviter: string
  expiresAt: Date
}

/**
 * Invitations to workspaces. Each is for one address, which the accepting user must have verified. The inviter's role
 * is checked at invitation and at acceptance. Each address has at most one open invitation; a new one replaces it.
 */
export function createInvitations(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  billing: Billing
  outbox: Pick<Outbox, 'putOrRefuse'>
}) {
  const { database, clock, config, billing, outbox } = context
  const open = (db: Database | Transaction) => Invitation.query(db).whereNull('endedAt')

  /** Counts members and open invitations, except for one address. */
  async function assertMemberLimit(trx: Transaction, workspaceId: string, email: string): Promise<void> {
    const { limits } = await billing.account(workspaceId, trx)
    const members = await Member.query(trx).where({ workspaceId }).resultSize()
    const invited = open(trx).where({ workspaceId }).where('expiresAt', '>', clock.now()).whereNot({ email })
    const message = `The workspace has reached its limit of ${limits.workspaceMembers} members, including invitations. ${howToGetMore}`
    assertThat(members + (await invited.resultSize()) < limits.workspaceMembers, 'FEATURE_LIMIT_REACHED', { message })
  }

  async function assertRate(trx: Transaction, workspaceId: string): Promise<void> {
    for (const { count, seconds, time } of most) {
      const since = firstIdAt(later(clock.now(), -seconds))
      const made = Invitation.query(trx).whereIn('workspaceId', paidWith(workspaceId)).where('id', '>=', since)
      const message = `An account's workspaces can send at most ${count} invitations ${time}. Try again later.`
      assertThat((await made.resultSize()) < count, 'RATE_LIMITED', { message, retryAfter: seconds / 6 })
    }
  }

  async function assertNoMember(trx: Transaction, workspaceId: string, email: string): Promise<void> {
    const member = await Member.query(trx)
      .join('users', 'users.id', 'members.userId')
      .where({ workspaceId, email })
      .first()
    const details = [{ path: 'email', message: 'is the address of a member' }]
    assertThat(!member, 'VALIDATION_ERROR', { message: 'This address already belongs to a member.', details })
  }

  async function found(db: Database | Transaction, token: string): Promise<Invitation> {
    const looksRight = isToken('join', token)
    const invitation = looksRight ? await Invitation.query(db).findOne({ tokenHash: hashToken(token) }) : undefined
    assertThat(invitation, 'INVALID_TOKEN', { message: gone })
    return invitation
  }

  /** Refuses an invitation that has ended, or whose inviter may no longer invite. */
  async function assertGood(db: Database | Transaction, invitation: Invitation): Promise<void> {
    const { workspaceId, invitedBy: userId } = invitation
    assertThat(invitation.endedAt === null, 'INVALID_TOKEN', { message: gone })
    const late = 'This invitation expired after seven days. Ask for a new one.'
    assertThat(invitation.expiresAt > clock.now(), 'TOKEN_EXPIRED', { message: late })
    const inviter = await Member.query(db).findOne({ workspaceId, userId })
    const isClosing = await Deletion.query(db).findById(userId)
    const isSuspended = await User.query(db).findById(userId).whereNotNull('suspendedAt')
    const mayInvite = inviter && can(inviter.role, 'administer') && !isClosing && !isSuspended
    assertThat(mayInvite, 'INVALID_TOKEN', { message: gone })
    const workspace = await Workspace.query(db).findById(workspaceId).whereNull('deletedAt')
    assertThat(workspace, 'INVALID_TOKEN', { message: gone })
  }

  /** One transaction. Safe to repeat: the user who accepted it gets the same membership. */
  async function acceptUnderLock(trx: Transaction, by: Actor & { userId: string }, given: Invitation): Promise<Member> {
    const { userId } = by
    const user = await User.query(trx).findById(userId).throwIfNotFound()
    const invitation = await Invitation.query(trx).findById(given.id).throwIfNotFound()
    const { workspaceId, email, role } = invitation
    // Checked first, so that nobody learns anything from, or uses up, another user's invitation.
    const isMine = user.emailVerifiedAt !== null && user.email === email
    assertThat(isMine, 'PERMISSION_DENIED', { message: notYours })
    const member = await Member.query(trx).findOne({ workspaceId, userId })
    if (member && invitation.acceptedBy === userId) return member
    await assertGood(trx, invitation)
    await Invitation.query(trx).findById(given.id).patch({ endedAt: clock.now(), acceptedBy: userId })
    const deed = { ownerId: workspaceId, action: 'acceptInvitation', subjectKind: 'member', subjectId: userId } as const
    await recordDeeds(trx, clock.now(), { ...deed, by, after: { role: member?.role ?? role } })
    return member ?? join(trx, { workspaceId, userId, role })
  }

  async function join(trx: Transaction, joining: { workspaceId: string; userId: string; role: InvitedRole }) {
    const { workspaceId, userId } = joining
    const { features, limits, isSuspended } = await billing.account(workspaceId, trx)
    assertThat(!isSuspended, 'WORKSPACE_REQUIRED', { message: closed('suspension') })
    assertThat(features.includes('workspaces'), 'WORKSPACE_REQUIRED')
    const count = await Member.query(trx).where({ workspaceId }).resultSize()
    const message = `The workspace has reached its limit of ${limits.workspaceMembers} members. ${howToGetMore}`
    assertThat(count < limits.workspaceMembers, 'FEATURE_LIMIT_REACHED', { message })
    await assertMembershipLimit(trx, userId)
    return Member.query(trx).insertAndFetch({ id: newId(), ...joining, joinedAt: clock.now() })
  }

  return {
    /**
     * Invites an address and mails it the token. Replaces an open invitation for the address. PERMISSION_DENIED (the
     * inviter's own address is not verified), VALIDATION_ERROR (not an address, or a member's), FEATURE_LIMIT_REACHED,
     * RATE_LIMITED.
     */
    async invite(
      caller: Pick<Caller, 'userId'>,
      { id: workspaceId, name: workspace }: Pick<Workspace, 'id' | 'name'>,
      asked: { email: string; role: InvitedRole },
    ): Promise<Invitation> {
      const email = readEmail(asked.email)
      const [token, now] = [newToken('join'), clock.now()]
      const row = { id: newId(), workspaceId, invitedBy: caller.userId, email, role: asked.role }
      return database.transaction(async (trx) => {
        await lockOwner(trx, workspaceId)
        const inviter = await verifiedUser(trx, caller.userId)
        await assertNoMember(trx, workspaceId, email)
        await assertMemberLimit(trx, workspaceId, email)
        await assertRate(trx, workspaceId)
        await open(trx).where({ workspaceId, email }).patch({ endedAt: now })
        const times = { createdAt: now, expiresAt: later(now, goodSeconds) }
        const made = await Invitation.query(trx).insertAndFetch({ ...row, ...times, tokenHash: hashToken(token) })
        const { baseUrl } = config.http
        await outbox.putOrRefuse(trx, invitationMail(made, { workspace, inviter: inviter.email, token, baseUrl }))
        return made
      })
    },

    /** The open invitations, newest first. */
    invitations: (workspaceId: string, request: PageRequest): Promise<Page<Invitation>> =>
      page(open(database).where({ workspaceId }), { list: 'invitations', time: 'createdAt', ...request }),

    invitation: async (workspaceId: string, id: string): Promise<Invitation | undefined> =>
      isId(id) ? open(database).where({ workspaceId }).findById(id) : undefined,

    /** Withdraws an open invitation: its token stops working. NOT_FOUND. */
    async withdrawInvitation(workspaceId: string, id: string): Promise<void> {
      const living = open(database).where({ workspaceId })
      const ended = isId(id) ? await living.findById(id).patch({ endedAt: clock.now() }) : 0
      assertThat(ended === 1, 'NOT_FOUND', { message: 'There is no open invitation with this id.' })
    },

    /** What the holder of a token may see. INVALID_TOKEN, TOKEN_EXPIRED. */
    async previewInvitation(token: string): Promise<InvitationPreview> {
      const invitation = await found(database, token)
      await assertGood(database, invitation)
      const workspace = await Workspace.query(database).findById(invitation.workspaceId).throwIfNotFound()
      const inviter = await User.query(database).findById(invitation.invitedBy).throwIfNotFound()
      return { workspace: workspace.name, inviter: inviter.email, expiresAt: invitation.expiresAt }
    },

    /**
     * Makes the caller a member. INVALID_TOKEN, TOKEN_EXPIRED, PERMISSION_DENIED (another or an unverified address),
     * WORKSPACE_REQUIRED, FEATURE_LIMIT_REACHED.
     */
    async acceptInvitation(by: Actor & { userId: string }, token: string): Promise<Member> {
      const invitation = await found(database, token)
      return database.transaction(async (trx) => {
        await lockPayers(trx, [invitation.workspaceId, by.userId])
        return acceptUnderLock(trx, by, invitation)
      })
    },
  }
}

/**
 * Strangers read the inviter's address, so an unverified address, which may be another person's, cannot invite.
 * PERMISSION_DENIED.
 */
async function verifiedUser(trx: Transaction, userId: string): Promise<User> {
  const user = await User.query(trx).findById(userId).whereNotNull('emailVerifiedAt')
  assertThat(user, 'PERMISSION_DENIED', { message: unverified })
  return user
}

const gone = 'This invitation does not exist, or it has already been used, withdrawn or replaced.'
const unverified =
  'Verify your email address first, because the invitation shows it to the recipient. POST /auth/verify-email/send emails you a new token.'
const notYours =
  'This invitation is for another address, or your address is not verified yet. Sign in with the account that has the invited address, and verify that address.'
