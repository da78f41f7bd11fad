import { rowOf } from '../database/row.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
import { Account } from './account.ts'

const unlimited = {
  deliveriesPerMinute: null,
  inputBytesPerMinute: null,
  storedBytes: null,
  tokensPerMonth: null,
}

/** What the platform's own work is judged by. No row of `accounts` is like this, and nothing is charged to it. */
export const systemAccount = (): Account =>
  rowOf(Account, {
    ownerId: systemOwnerId,
    tier: 'free',
    givenTier: 'enterprise',
    limits: unlimited,
    currentPeriodEnd: null,
    customer: null,
    subscription: null,
    subscriptionStatus: null,
    nextTier: null,
    clockSeconds: 0,
    looksBegun: 0,
    lookApplied: 0,
    lookAt: null,
    topUpEnabled: false,
    topUpBelow: null,
    topUpCredits: null,
    topUpCentsPerMonth: null,
    topUpFailures: 0,
    topUpAfter: null,
    fittedTier: null,
    exceeds: false,
    creditsPerMonth: null,
    cancelledAt: null,
    balance: 1_000_000,
    creditCents: 0,
    grantedPeriod: null,
    createdAt: new Date(0),
    isKnown: true,
  })
