import { assertThat } from '../errors.ts'
import { later } from '../clock.ts'
import type { Account } from './account.ts'
import { tierOf, type Feature, type Limits, type PaidTierName, type TierName } from './tiers.ts'

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

/** Whose cap of credits for a month it is. */
export type CapOf = 'account' | 'workspace' | 'agent'

/** What an owner may do now, derived from the account. */
export interface Standing {
  tier: TierName
  limits: Limits
  features: readonly Feature[]
  /** Whether the account that pays is to be deleted: then there are no features. */
  isClosing: boolean
  subscription: Subscription | null
  /** What may be used, in credits: the account's balance, or what a cap has left of the month if that is less. May be negative. */
  balance: number
  /** The cap that leaves the least; null if that is the account's balance. */
  cap: CapOf | null
  /** The account's balance: the sum of its ledger. */
  total: number
  /** US cents that are credited to later payments of subscriptions. */
  creditCents: number
}

/**
 * The standing of an owner whom the account pays for. Without the tier for it, a workspace may do nothing; `left` is what
 * its cap has left of the month.
 */
export function standingOf(
  account: Account,
  { ownerId = account.ownerId, left = Infinity, isDeleted = false } = {},
): Standing {
  const { tier, isClosing = false } = account
  const { limits, features: all } = tierOf(tier)
  const isClosed = isDeleted || isClosing || (ownerId !== account.ownerId && !all.includes('workspaces'))
  const features = isClosed ? [] : all
  const subscription = subscriptionOf(account)
  const { balance, creditCents } = account
  const standing = { tier, limits, features, isClosing, subscription, balance, cap: null, total: balance, creditCents }
  const accountLeft = (account.creditsPerMonth ?? Infinity) - (account.usedThisMonth ?? 0)
  return bounded(bounded(standing, accountLeft, 'account'), left, 'workspace')
}

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

/** Refuses an owner with less than one credit: NO_CREDITS. */
export function requireCredits({ balance, cap }: Pick<Standing, 'balance' | 'cap'>): void {
  assertThat(balance >= 1, 'NO_CREDITS', cap === null ? {} : { message: `${usedUpBy(cap)} ${raiseOf[cap]}` })
}

/** Which cap is used up, in a sentence. */
export const usedUpBy = (cap: CapOf): string => `The cap of the ${cap} for credits in a month is used up.`

/** What raises a cap, in a sentence. */
export const raiseOf: Record<CapOf, string> = {
  account: 'Raise it with PATCH /billing, or wait for next month.',
  workspace: 'An admin can raise it with PATCH /workspaces/{id}; otherwise wait for next month.',
  agent: 'Raise it with PATCH /agents/{id}, or wait for next month.',
}

type ToppedUp = Pick<Account, 'topUpIsOn' | 'topUpBelow' | 'balance'>

/** Whether a new balance is the first one below which credits are bought automatically: then the sweep does so. */
export const fallsBelow = ({ topUpIsOn, topUpBelow, balance }: ToppedUp, after: number): boolean =>
  topUpIsOn && topUpBelow !== null && balance >= topUpBelow && after < topUpBelow

/** When the next month's credits are granted: at the beginning of the calendar month, UTC. */
export const nextGrantAt = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
