import { assertThat } from '../errors.ts'
import { later } from '../clock.ts'
import type { Account } from './account.ts'
import type { Allowance } from './allowances.ts'
import type { PaidTierName, TierName } from './tiers.ts'

interface Subscription {
  tier: PaidTierName
  /** `past_due`: the month's payment has failed and is retried for some days. */
  status: 'active' | 'past_due'
  /** The end of the paid time. */
  currentPeriodEnd: Date
  /** The tier of the next period, if it changes. */
  nextTier: TierName | null
  /** When it was cancelled. The free tier follows at the end of the period. */
  cancelledAt: Date | null
}

/**
 * The limit that leaves no credits, besides the balance: a monthly credit cap, by its owner; the monthly token limit;
 * or a missing free month, because the address is unverified or the mailbox already had one.
 */
export type CapOf = 'account' | 'workspace' | 'agent' | 'tokens' | 'address' | 'mailbox'

/** What an owner may do now, computed from the account. */
export interface AccountStatus extends Allowance {
  /** Whether the paying account is marked for deletion, which removes all features. */
  isClosing: boolean
  isSuspended: boolean
  subscription: Subscription | null
  /**
   * Usable credits: the account's balance, or less if a cap leaves less this month. May be negative. Without payments
   * only caps count; without a cap it is Infinity.
   */
  balance: number
  /** The cap that leaves the least; null if that is the balance. */
  cap: CapOf | null
  /** The account's balance: the sum of its ledger. */
  total: number
  /** Tokens used this month by everything that the account pays for. */
  tokensUsed: number
  /** US cents of credit toward later subscription payments. */
  creditCents: number
  /** When it changes next without an event: a grant expires, or the calendar month ends. */
  changesAt: Date
}

/** Limits besides the account. `left` is what a workspace's cap leaves this month. */
interface Bounds {
  ownerId?: string
  left?: number
  isDeleted?: boolean
}

/** The standing of an owner that the account pays for. A workspace without the tier's feature may do nothing. */
export function accountStatusOf(
  account: Account,
  { allowance, isCharged, withheld, now }: Terms,
  { ownerId = account.ownerId, left = Infinity, isDeleted = false }: Bounds = {},
): AccountStatus {
  const { isClosing = false, isSuspended = false, balance: total, creditCents } = account
  const tokensUsed = account.tokensThisMonth ?? 0
  const isClosed = isDeleted || isClosing || (ownerId !== account.ownerId && !allowance.features.includes('workspaces'))
  const features = isClosed ? [] : allowance.features
  const subscription = subscriptionOf(account)
  const balance = isCharged ? total : Infinity
  const standing = {
    ...allowance,
    features,
    isClosing,
    isSuspended,
    subscription,
    balance,
    cap: null,
    total,
    tokensUsed,
    creditCents,
    changesAt: changeOf(account, now),
  }
  const accountLeft = (account.creditsPerMonth ?? Infinity) - (account.usedThisMonth ?? 0)
  const capped = bounded(bounded(standing, accountLeft, 'account'), left, 'workspace')
  const tokensLeft = allowance.limits.tokensPerMonth - tokensUsed
  return withholding(tokensLeft < 1 ? bounded(capped, 0, 'tokens') : capped, withheld, isCharged)
}

/** The next change of an account by time alone. */
function changeOf({ nextExpiry, clockSeconds }: Account, now: Date): Date {
  const time = timeOf({ clockSeconds }, now)
  const month = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1))
  const next = nextExpiry && nextExpiry < month ? nextExpiry : month
  return later(next, -clockSeconds)
}

/** What the installation decides for an account. */
export interface Terms {
  allowance: Allowance
  isCharged: boolean
  /** Why the account got no free month. */
  withheld: 'address' | 'mailbox' | null
  now: Date
}

/** With payments, users can buy instead; without payments, nothing else is left. */
const withholding = (standing: AccountStatus, withheld: Terms['withheld'], isCharged: boolean): AccountStatus =>
  withheld !== null && (!isCharged || standing.balance < 1)
    ? { ...standing, balance: Math.min(standing.balance, 0), cap: withheld }
    : standing

/** The standing for an agent whose cap leaves `left` credits; null without a cap. */
export const agentAccountStatus = <S extends Pick<AccountStatus, 'balance' | 'cap'>>(
  standing: S,
  { creditsLeft }: { creditsLeft?: number | null },
): S => bounded(standing, creditsLeft ?? Infinity, 'agent')

const bounded = <S extends Pick<AccountStatus, 'balance' | 'cap'>>(standing: S, left: number, cap: CapOf): S =>
  left < standing.balance ? { ...standing, balance: left, cap } : standing

/** The account's own time: in the sandbox, an admin may have advanced it. */
export const timeOf = ({ clockSeconds }: Pick<Account, 'clockSeconds'>, now: Date): Date => later(now, clockSeconds)

/** As reported by the gateway. */
export function subscriptionOf(account: Account): Subscription | null {
  const { tier, currentPeriodEnd, cancelledAt, subscriptionStatus: status, nextTier } = account
  if (tier === 'free' || currentPeriodEnd === null || status === null) return null
  return { tier, status, currentPeriodEnd, nextTier, cancelledAt }
}

/** Whether the month is paid, so its credits are granted. After its end, the gateway must confirm the next one. */
export function isPaid(account: Account, now: Date): boolean {
  const subscription = subscriptionOf(account)
  return subscription === null || (subscription.status === 'active' && subscription.currentPeriodEnd > now)
}

export function requirePaidSubscription({ subscription }: Pick<AccountStatus, 'subscription'>): void {
  assertThat(subscription?.status !== 'past_due', 'SUBSCRIPTION_PAST_DUE')
}

/** Refuses an owner with less than one credit (NO_CREDITS) or whose payer is suspended (PERMISSION_DENIED). */
export function requireCredits({
  balance,
  cap,
  isSuspended,
}: Pick<AccountStatus, 'balance' | 'cap' | 'isSuspended'>): void {
  assertThat(!isSuspended, 'PERMISSION_DENIED', { message: suspendedPayer })
  assertThat(balance >= 1, 'NO_CREDITS', cap === null ? {} : { message: `${usedUpBy(cap)} ${raiseOf[cap]}` })
}

/** The message for users whose own account, or whose workspace's, is suspended. */
export const suspendedPayer =
  'The platform operator has suspended the paying account. Nothing is deleted, and everything resumes when the suspension is lifted.'

/** A sentence that names the exhausted cap. */
export const usedUpBy = (cap: CapOf): string => uses[cap]

const capOf = (what: string) => `The ${what}'s monthly credit cap has been reached.`
const uses: Record<CapOf, string> = {
  account: capOf('account'),
  workspace: capOf('workspace'),
  agent: capOf('agent'),
  tokens: "The account's monthly limit for model tokens has been reached.",
  address: 'Free usage requires a verified email address.',
  mailbox: "Another account with this mailbox has already used this month's free allowance.",
}

/** A sentence that says how to raise it. */
export const raiseOf: Record<CapOf, string> = {
  account: 'Raise it with PATCH /billing, or wait until next month.',
  workspace: 'Ask an admin to raise it with PATCH /workspaces/{id}, or wait until next month.',
  agent: 'Raise it with PATCH /agents/{id}, or wait until next month.',
  tokens: 'Ask the platform operator to raise it, or wait until next month (UTC).',
  address:
    'Verify your address with POST /auth/verify-email and the token we emailed to you. To get a new token, use POST /auth/verify-email/send.',
  mailbox: 'Use that account, or wait until next month (UTC).',
}

type ToppedUp = Pick<Account, 'topUpEnabled' | 'topUpBelow' | 'balance'>

/** Whether the new balance is the first below the threshold of automatic purchases, so that the sweep must buy. */
export const fallsBelow = ({ topUpEnabled, topUpBelow, balance }: ToppedUp, after: number): boolean =>
  topUpEnabled && topUpBelow !== null && balance >= topUpBelow && after < topUpBelow

/** When the next month's credits are granted: at the start of the calendar month, UTC. */
export const nextGrantAt = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
