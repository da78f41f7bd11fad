import { raw } from 'objection'
import type { Allowance, Allowances, Allowed } from '../billing/allowances.ts'
import { suspendedPayer } from '../billing/account-status.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import { closed, closingCause } from '../owners/reach.ts'
import { hashToken, isToken } from '../secrets/opaque-tokens.ts'
import { assertActive } from '../owners/suspension.ts'
import type { User } from '../users/user.ts'
import { isNoteworthy, isOver } from './lifetime.ts'
import { Session } from './session.ts'

/** An opened session, and the facts about its owner that a request needs. */
export interface OpenSession {
  session: Session
  allowance: Allowance
  termsAccepted: boolean
}

type WithOwner = Session &
  Pick<User, 'termsVersion' | 'suspendedAt' | 'suspensionReason'> &
  Allowed & { isClosing: boolean; isPayerSuspended: boolean | null }

const anew = 'Create a new session with POST /sessions.'

/** Makes the function that turns a session token into its session, with one database query. */
export function createOpenSession(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'auth' | 'sessions'>
  allowances: Allowances
}) {
  const { database, clock, config, allowances } = context

  const find = (tokenHash: string) =>
    Session.query(database)
      .join('users', 'users.id', raw('coalesce(sessions.user_id, sessions.owner_id)'))
      .leftJoin('workspaces', 'workspaces.id', 'sessions.ownerId')
      .leftJoin('accounts', 'accounts.ownerId', raw('coalesce(workspaces.payer_id, sessions.owner_id)'))
      .where({ 'sessions.tokenHash': tokenHash })
      .leftJoin('deletions', 'deletions.ownerId', raw('coalesce(workspaces.payer_id, sessions.owner_id)'))
      .leftJoin('users as payers', 'payers.id', 'workspaces.payerId')
      .select('sessions.*', 'users.termsVersion', 'users.suspendedAt', 'users.suspensionReason')
      .select('accounts.tier', 'accounts.givenTier', 'accounts.limits')
      .select(
        raw('deletions.owner_id is not null as is_closing'),
        raw('payers.suspended_at is not null as is_payer_suspended'),
      )
      .first()
      .castTo<WithOwner | undefined>()

  /** Writes at most once a minute. */
  async function noteUse(session: Session, now: Date): Promise<void> {
    if (!isNoteworthy(session, now)) return
    await Session.query(database).findById(session.id).patch({ usedAt: now })
    session.usedAt = now
  }

  /**
   * Finds the session and records its use. INVALID_SESSION (no token, not a session token, or an ended session),
   * SESSION_NOT_FOUND, SESSION_EXPIRED (its lifetime ended, or it was idle for too long).
   */
  return async function open(token: string | undefined): Promise<OpenSession> {
    const missing = `Send a session token in the X-Session-Token header. ${anew}`
    assertThat(token !== undefined && token !== '', 'INVALID_SESSION', { message: missing })
    assertThat(isToken('session', token), 'INVALID_SESSION', { message: `This is not a session token. ${anew}` })
    const found = await find(hashToken(token))
    assertThat(found, 'SESSION_NOT_FOUND')
    assertThat(found.endedAt === null, 'INVALID_SESSION', { message: `This session has ended. ${anew}` })
    const now = clock.now()
    assertThat(!isOver(found, now, config.sessions), 'SESSION_EXPIRED')
    assertActive(found)
    const allowance = allowances.of(found)
    assertOpen(found, allowance)
    await noteUse(found, now)
    return { session: sessionIn(found), allowance, termsAccepted: found.termsVersion === config.auth.termsVersion }
  }
}

function sessionIn(found: WithOwner): Session {
  const { tier: _, givenTier: _1, termsVersion: _2, suspendedAt: _3, suspensionReason: _4, ...rest } = found
  const { isClosing: _5, isPayerSuspended: _6, ...fields } = rest
  return Object.assign(new Session(), fields)
}

/** A workspace's sessions work while its owner's tier includes workspaces and the account is not being deleted. */
function assertOpen({ userId, isClosing, isPayerSuspended }: WithOwner, { features }: Allowance): void {
  if (userId === null) return
  assertThat(isPayerSuspended !== true, 'PERMISSION_DENIED', { message: suspendedPayer })
  const by = closingCause({ isSuspended: false, isClosing, hasTier: features.includes('workspaces') })
  if (by !== null) throw new CodedError('WORKSPACE_REQUIRED', { message: closed(by) })
}
