import { recordDeeds, type Actor } from '../audit/audit-entry.ts'
import type { Billing } from '../billing/billing.ts'
import { suspendedPayer } from '../billing/account-status.ts'
import { later, type Clock } from '../clock.ts'
import { consoleHome } from '../console-pages.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Deletion } from '../deletion/deletion.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId } from '../ids.ts'
import { quotedName } from '../names.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { lockPayers, type Payer } from '../owners/lock-payers.ts'
import type { Due } from '../runs/due.ts'
import type { Proof, LoginAttempts } from '../users/login-attempts.ts'
import { lockOwner } from '../users/user.ts'
import { handOver, lockAccounts, type HandedOver } from './hand-over.ts'
import { Member } from './member.ts'
import { assertTransferLimits } from './assert-transfer-limits.ts'
import { Workspace } from './workspace.ts'

/** How long an offer is open, in seconds. */
const openSeconds = 7 * 86_400

/** An offer that lets a member take a workspace over. */
export interface Offer {
  workspaceId: string
  userId: string
  expiresAt: Date
}

/**
 * Transfers workspaces: the owner offers one to a member, who accepts. A workspace has one offer at a time. An offer
 * ends with the membership, after seven days, or when either side withdraws it.
 */
export function createTransfers(context: {
  database: Database
  clock: Clock
  billing: Billing
  due: Due
  notifications: Pick<Notifications, 'notify'>
  tries: Pick<LoginAttempts, 'prove'>
}) {
  const { database, clock, billing, due, notifications, tries } = context
  const open = (db: Database | Transaction) => Member.query(db).where('offeredUntil', '>', clock.now())

  /** Locks everyone involved; undefined if the user already owns the workspace. */
  async function offered(trx: Transaction, workspaceId: string, userId: string): Promise<Workspace | undefined> {
    const payers = await lockPayers(trx, [workspaceId, userId])
    const workspace = await Workspace.query(trx).findById(workspaceId).whereNull('deletedAt')
    assertThat(workspace, 'WORKSPACE_NOT_FOUND')
    if (workspace.payerId === userId) return undefined
    assertThat(await open(trx).findOne({ workspaceId, userId }), 'NOT_FOUND', { message: noOffer })
    await assertTakers(trx, payers, userId)
    return workspace
  }

  async function tell(trx: Transaction, { name }: Workspace, { workspaceId, from, to }: HandedOver): Promise<void> {
    const kind = 'workspace_handed_over'
    const title = `The workspace ${quotedName(name)} has a new owner`
    const key = clock.now().toISOString()
    const told = { kind, subjectId: workspaceId, key, consolePage: consoleHome, title } as const
    await notifications.notify(trx, { ...told, ownerId: from, message: toFormer })
    await notifications.notify(trx, { ...told, ownerId: to, message: toNew })
  }

  async function record(trx: Transaction, by: Actor, { workspaceId, from, to }: HandedOver): Promise<void> {
    const deed = { action: 'acceptTransfer', subjectKind: 'workspace', subjectId: workspaceId, by } as const
    const change = { before: { payerId: from }, after: { payerId: to } }
    const owners = [workspaceId, from, to]
    await recordDeeds(trx, clock.now(), ...owners.map((ownerId) => ({ ...deed, ...change, ownerId })))
  }

  async function take(trx: Transaction, by: Actor & { userId: string }, workspace: Workspace): Promise<void> {
    const { id: workspaceId, payerId: from } = workspace
    const change = { workspaceId, from, to: by.userId }
    await lockAccounts(trx, billing.credits, change)
    const standing = await billing.account(change.to, trx)
    await assertTransferLimits(trx, standing, { workspaceId, userId: change.to, now: clock.now() })
    await handOver(trx, change, clock.now())
    // Runs may have waited for something that the former account lacked.
    await due.owner(trx, workspaceId)
    await record(trx, by, change)
    await tell(trx, workspace, change)
  }

  return {
    async offers(workspaceIds: readonly string[]): Promise<Offer[]> {
      const members = await open(database).whereIn('workspaceId', [...workspaceIds])
      return members.flatMap(({ workspaceId, userId, offeredUntil }) =>
        offeredUntil ? [{ workspaceId, userId, expiresAt: offeredUntil }] : [],
      )
    },

    /**
     * Offers the workspace to a member, and replaces an earlier offer. UNAUTHORIZED (password or code),
     * MEMBER_NOT_FOUND, VALIDATION_ERROR (the owner), PERMISSION_DENIED (it has a new owner meanwhile).
     */
    async offer(
      { id: workspaceId, name }: Pick<Workspace, 'id' | 'name'>,
      { by, userId, proof, address }: { by: string; userId: string; proof: Proof; address: string },
    ): Promise<Offer> {
      await tries.prove(by, proof, address)
      const expiresAt = later(clock.now(), openSeconds)
      await database.transaction(async (trx) => {
        await lockOwner(trx, workspaceId)
        const own = await Workspace.query(trx).findById(workspaceId).where({ payerId: by })
        assertThat(own, 'PERMISSION_DENIED', { message: 'Only the owner can transfer the workspace.' })
        const member = isId(userId) ? await Member.query(trx).findOne({ workspaceId, userId }) : undefined
        assertThat(member, 'MEMBER_NOT_FOUND')
        if (member.role === 'owner') throw ownersAlready()
        await Member.query(trx).where({ workspaceId }).whereNotNull('offeredUntil').patch({ offeredUntil: null })
        await Member.query(trx).findById(member.id).patch({ offeredUntil: expiresAt })
        const title = `The workspace ${quotedName(name)} has been offered to you`
        const about = { kind: 'workspace_offered', subjectId: workspaceId, key: expiresAt.toISOString() } as const
        await notifications.notify(trx, {
          ...about,
          ownerId: userId,
          consolePage: consoleHome,
          title,
          message: howToTake(workspaceId, expiresAt),
        })
      })
      return { workspaceId, userId, expiresAt }
    },

    /** Withdraws the offer (as the owner) or declines it (as the member). NOT_FOUND. */
    withdrawOffer: (workspaceId: string, userId: string): Promise<void> =>
      database.transaction(async (trx) => {
        await lockOwner(trx, workspaceId)
        const workspace = await Workspace.query(trx).findById(workspaceId)
        const seen = open(trx).where({ workspaceId })
        const own = workspace?.payerId === userId ? seen : seen.where({ userId })
        assertThat((await own.patch({ offeredUntil: null })) === 1, 'NOT_FOUND', {
          message: 'There is no open transfer offer.',
        })
      }),

    /**
     * Makes the member with the offer the owner, in one transaction. Safe to repeat. NOT_FOUND (no open offer),
     * PERMISSION_DENIED (an unverified address, an account that is suspended or marked for deletion),
     * WORKSPACE_REQUIRED, FEATURE_LIMIT_REACHED, AGENT_LIMIT_REACHED, VAULT_LIMIT_REACHED.
     */
    acceptOffer: (by: Actor & { userId: string }, workspaceId: string): Promise<Member> =>
      database.transaction(async (trx) => {
        const workspace = await offered(trx, workspaceId, by.userId)
        if (workspace) await take(trx, by, workspace)
        return Member.query(trx).findOne({ workspaceId, userId: by.userId }).throwIfNotFound()
      }),
  }
}

/** Refuses accounts that may not act, and a new owner without a verified address. PERMISSION_DENIED. */
async function assertTakers(trx: Transaction, payers: readonly Payer[], userId: string): Promise<void> {
  for (const { id, suspendedAt } of payers) {
    assertThat(suspendedAt === null, 'PERMISSION_DENIED', { message: suspendedPayer })
    assertThat(!(await Deletion.query(trx).findById(id)), 'PERMISSION_DENIED', { message: leaving })
  }
  const isVerified = payers.some(({ id, emailVerifiedAt }) => id === userId && emailVerifiedAt !== null)
  assertThat(isVerified, 'PERMISSION_DENIED', { message: unverified })
}

function ownersAlready(): CodedError {
  const details = [{ path: 'userId', message: 'must be another member' }]
  return new CodedError('VALIDATION_ERROR', { message: 'You already own this workspace.', details })
}

const howToTake = (workspaceId: string, expiresAt: Date): string =>
  `The owner wants to transfer the workspace to you. Accept with POST /workspaces/${workspaceId}/transfer/accept by ${expiresAt.toISOString()}. Your account will then pay for the workspace's usage. Decline with DELETE /workspaces/${workspaceId}/transfer.`
const toFormer =
  'You are now an admin of the workspace. The new owner pays for all usage from now on. Earlier charges stay in your ledger.'
const toNew =
  'You now own the workspace. Your account pays for all usage from now on, including steps that were in progress.'

const noOffer =
  'You have no open offer for this workspace. An offer is open for seven days unless the owner withdraws or replaces it.'
const unverified =
  "Verify your email address first, because the owner's account pays for the workspace. POST /auth/verify-email/send emails you a new token."
const leaving =
  "Your account or the owner's account is scheduled for deletion. Restore the account first with POST /auth/me/restore."
