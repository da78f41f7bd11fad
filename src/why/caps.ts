import type { CapOf } from '../billing/standing.ts'
import { advise, request, type Advice } from './actions.ts'
import type { Facts } from './facts.ts'

/** What is used up, as the end of a sentence. */
export const usedUp = (cap: CapOf | null): string =>
  cap === null ? 'your credits are used up' : `the cap of the ${cap} for credits in a month is used up`

/** How to go on although a cap is used up. */
export function raiseCap(cap: CapOf, { id, ownerId }: Pick<Facts['agent'], 'id' | 'ownerId'>): Advice {
  const raise = {
    agent: request('changeAgent', id),
    workspace: request('changeWorkspace', ownerId),
    account: request('capAccount'),
  }
  return advise`Raise the cap with ${raise[cap]}, or wait for the next month (UTC).`
}
