import { usedUpBy, type CapOf } from '../billing/account-status.ts'
import { advise, request, type Advice } from './actions.ts'
import type { Facts } from './facts.ts'

/** The used-up cap or balance, as the end of a sentence. */
export const usedUp = (cap: CapOf | null): string =>
  cap === null ? 'you have no credits left' : beginning(usedUpBy(cap)).replace(/\.$/, '')

const beginning = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)

/** How to continue when a cap is used up. */
export function raiseCap(cap: CapOf, { id, ownerId }: Pick<Facts['agent'], 'id' | 'ownerId'>): Advice {
  if (cap === 'tokens') return advise`Ask the platform operator to raise the limit, or wait until next month (UTC).`
  if (cap === 'address') return advise`Verify your email address with ${request('verifyAddress')}.`
  if (cap === 'mailbox') return advise`Use the other account, or wait until next month (UTC).`
  const raise = {
    agent: request('changeAgent', id),
    workspace: request('changeWorkspace', ownerId),
    account: request('capAccount'),
  }
  return advise`Raise the cap with ${raise[cap]}, or wait until next month (UTC).`
}
