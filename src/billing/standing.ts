import { assertThat } from '../errors.ts'
import { later } from '../clock.ts'
import type { Account } from './account.ts'
import type { Allowance } from './allowances.ts'
import type { PaidTierName, TierName } from './tiers.ts'

interface Subscription {
  tier: PaidTierName
  /** `past_due`: the payment of the month has failed, and is tried again for some days. */
  status: 'active' | 'past_due'
  /** Until when it is paid. */
  currentPeriodEnd: Date
  /** What follows then if it is not the same. */
  nextTier: TierName | null
  /** Since when it is cancelled; then the free tier follows at the end of the period. */
  cancelledAt: Date | null
}

/**
 * What leaves no credits besides the balance: a cap of credits for a month, by whose it is; the limit of tokens for a
 * month; or that nothing is free for an address that is not verified, or whose mailbox has had its month.
 */
export type CapOf = 'account' | 'workspace' | 'agent' | 'tokens' | 'address' | 'mailbox'

/** What an owner may do now, derived from the account. */
export interface Standing extends Allowance {
  /** Whether the account that pays is to be deleted: then there are no features. */
  isClosing: boolean
  /** Whether an admin has suspended the account that pays. */
  isSuspended: boolean
  subscription: Subscription | null
  /**
   * What may be used, in credits: the account's balance, or what a cap has left of the month if that is less. May be
   * negative. Where there are no payments only caps bound it, and without one it is Infinity.
   */
  balance: number
  /** The cap that leaves the least; null if that is the account's balance. */
  cap: CapOf | null
  /** The account's balance: the sum of its ledger. */
  total: number
  /** Tokens that everything the account pays for has used in the month. */
  tokensUsed: number
  /** US cents that are credited to later payments of subscriptions. */
  creditCents: number
}

/** What holds an owner back besides the account; `left` is what the cap of a workspace has left of the month. */
interface Bounds {
  ownerId?: string
  left?: number
  isDeleted?: boolean
}

/** Makes the standing of an owner whom the account pays for. Without the feature for it, a workspace may do nothing. */
export function standingOf(
  account: Account,
  { allowance, isCharged, withheld }: Terms,
  { ownerId = account.ownerId, left = Infinity, isDeleted = false }: Bounds = {},
): Standing {
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
  }
  const accountLeft = (account.creditsPerMonth ?? Infinity) - (account.usedThisMonth ?? 0)
  const capped = bounded(bounded(standing, accountLeft, 'account'), left, 'workspace')
  const tokensLeft = allowance.limits.tokensPerMonth - tokensUsed
  return withholding(tokensLeft < 1 ? bounded(capped, 0, 'tokens') : capped, withheld, isCharged)
}

/** What follows from the installation for an account. */
export interface Terms {
  allowance: Allowance
  /** Whether steps cost credits of the balance. */
  isCharged: boolean
  /** Why the account has had nothing free this month. */
  withheld: 'address' | 'mailbox' | null
}

/** What is not free can be bought; where there are no payments, there is nothing else. */
const withholding = (standing: Standing, withheld: Terms['withheld'], isCharged: boolean): Standing =>
  withheld !== null && (!isCharged || standing.balance < 1)
    ? { ...standing, balance: Math.min(standing.balance, 0), cap: withheld }
    : standing

/** The standing for an agent of the owner, whose own cap leaves so much; null without one. */
export const standingFor = <S extends Pick<Standing, 'balance' | 'cap'>>(
  standing: S,
  { creditsLeft }: { creditsLeft?: number | null },
): S => bounded(standing, creditsLeft ?? Infinity, 'agent')

const bounded = <S extends Pick<Standing, 'balance' | 'cap'>>(standing: S, left: number, cap: CapOf): S =>
  left < standing.balance ? { ...standing, balance: left, cap } : standing

/** The account's own time: in the sandbox an admin may have advanced it. */
export const timeOf = ({ clockSeconds }: Pick<Account, 'clockSeconds'>, now: Date): Date => later(now, clockSeconds)

/** As the gateway says. */
export function subscriptionOf(account: Account): Subscription | null {
  const { tier, currentPeriodEnd, cancelledAt, subscriptionStatus: status, nextTier } = account
  if (tier === 'free' || currentPeriodEnd === null || status === null) return null
  return { tier, status, currentPeriodEnd, nextTier, cancelledAt }
}

/** Whether the month is paid, so that its credits are granted. After its end the gateway says first what has become of it. */
export function isPaid(account: Account, now: Date): boolean {
  const subscription = subscriptionOf(account)
  return subscription === null || (subscription.status === 'active' && subscription.currentPeriodEnd > now)
}

/** Refuses an owner whose subscription is not paid: SUBSCRIPTION_PAST_DUE. */
export function requireGoodStanding({ subscription }: Pick<Standing, 'subscription'>): void {
  assertThat(subscription?.status !== 'past_due', 'SUBSCRIPTION_PAST_DUE')
}

/** Refuses an owner with less than one credit (NO_CREDITS), and one who is suspended (PERMISSION_DENIED). */
export function requireCredits({ balance, cap, isSuspended }: Pick<Standing, 'balance' | 'cap' | 'isSuspended'>): void {
  assertThat(!isSuspended, 'PERMISSION_DENIED', { message: suspendedPayer })
  assertThat(balance >= 1, 'NO_CREDITS', cap === null ? {} : { message: `${usedUpBy(cap)} ${raiseOf[cap]}` })
}

/** What somebody reads whose account, or whose workspace's, is suspended. */
export const suspendedPayer =
  'The operator of this platform has suspended the paying account. Nothing is deleted, and everything resumes when the suspension is lifted.'

/** What is used up, in a sentence. */
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

/** What ends that, in a sentence. */
export const raiseOf: Record<CapOf, string> = {
  account: 'Raise it with PATCH /billing, or wait until next month.',
  workspace: 'Ask an admin to raise it with PATCH /workspaces/{id}, or wait until next month.',
  agent: 'Raise it with PATCH /agents/{id}, or wait until next month.',
  tokens: 'Ask the operator of this platform to raise it, or wait until next month (UTC).',
  address:
    'Verify your address with POST /auth/verify-email and the token we emailed to you. To get a new token, use POST /auth/verify-email/send.',
  mailbox: 'Use that account, or wait until next month (UTC).',
}

type ToppedUp = Pick<Account, 'topUpEnabled' | 'topUpBelow' | 'balance'>

/** Whether a new balance is the first one below which credits are bought automatically: then the sweep does so. */
export const fallsBelow = ({ topUpEnabled, topUpBelow, balance }: ToppedUp, after: number): boolean =>
  topUpEnabled && topUpBelow !== null && balance >= topUpBelow && after < topUpBelow

/** When the next month's credits are granted: at the beginning of the calendar month, UTC. */
export const nextGrantAt = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
