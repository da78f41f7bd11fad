import { advise, request, type Advice } from './actions.ts'
import type { Facts } from './facts.ts'

const reasons = {
  OWNER: '',
  MODEL_UNAVAILABLE: ' because its AI model was unavailable for a day',
  RESTORED: ' because the database was restored from a backup while it had unfinished runs',
} as const

/** Why an agent is paused, as a part of a sentence. */
export const pausedBecause = ({ pausedReason }: Pick<Facts['agent'], 'pausedReason'>): string =>
  reasons[pausedReason ?? 'OWNER']

/** How a paused agent continues. */
export function resumption(
  { id, exceedingSince, pausedReason }: Pick<Facts['agent'], 'id' | 'exceedingSince' | 'pausedReason'>,
  isSuspended: boolean,
) {
  if (isSuspended) {
    return advise`The platform operator has suspended the paying account. The agent resumes when the suspension is lifted.`
  }
  if (pausedReason === 'RESTORED' && !exceedingSince)
    return advise`Check at the sites what its runs have already done, and cancel each run that must not be repeated. Then resume the agent with ${request('resume', id)}.`
  return exceedingSince ? overLimit : advise`Resume the agent with ${request('resume', id)}.`
}

const overLimit: Advice = advise`The account is over its agent limit. Delete other agents or raise the limit. ${request('readBilling')} shows the limits.`
