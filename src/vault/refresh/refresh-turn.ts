import type { VaultEntry } from '../vault-entry.ts'
import type { RefreshCause, VaultRefresh } from './vault-refresh.ts'

/** How long somebody whose lease is over gets to store what it may have, once Postgres is there to take it. */
const contestMs = 2_000
/** How often a refresh token is sent whose fate is unknown: the first time, and once more. */
const mostDoubts = 2
/** How often a site may refuse for a reason other than the token (a client that it does not know, for example). */
const mostRefusals = 5
/** The longest pause between attempts that a site has refused or not received, also where it asks for a longer one. */
export const longestPauseMs = 5 * 60_000

/**
 * All that decides whether somebody may refresh now. `past`: the attempts with the entry's present refresh token, and
 * whichever has not ended.
 */
export interface TurnFacts {
  entry: VaultEntry
  past: VaultRefresh[]
  /** The generation that the caller has seen. */
  seen: number
  cause: RefreshCause
  now: Date
  refreshable: boolean
}

/** What the caller is to do: go ahead, wait, or take what is there. */
export type Turn = {
  /** Whose lease is over: from now on its time to come back runs. */
  contest?: VaultRefresh
  /** Who did not come back: nobody will ever know what came of that attempt. */
  abandon?: VaultRefresh
} & (
  | { kind: 'mine'; entry: VaultEntry; attemptId?: string }
  | { kind: 'busy' }
  | { kind: 'renewed' | 'kept'; entry: VaultEntry }
  | { kind: 'dead'; entry: VaultEntry; reason: string }
  | { kind: 'unavailable'; message: string; retryAt: Date | null }
  | { kind: 'gone' }
)

const inDoubt =
  'The site did not answer clearly when its tokens were last refreshed, and did not take the old refresh token either.'
const noRefreshToken = 'The access token is not good any more, and the site gave no refresh token.'

/**
 * The rule of refreshing, from the record alone. An attempt in doubt may have spent the refresh token: as long as the
 * access token lives that one is used, then the refresh token is tried once more, and that is all.
 */
export function judgeTurn({ entry, past, seen, cause, now, refreshable }: TurnFacts): Turn {
  if (entry.generation !== seen) return { kind: 'renewed', entry }
  if (entry.status === 'needs_reauth') return { kind: 'dead', entry, reason: entry.statusReason ?? '' }
  const lives = cause !== 'unauthorized' && entry.expiresAt !== null && entry.expiresAt > now
  const underWay = past.find(({ endedAt }) => endedAt === null)
  // What is under way with a token that is not the entry's any more concerns nobody.
  const open = underWay?.generation === entry.generation ? underWay : undefined
  if (open && !isOver(open, now)) return lives ? { kind: 'kept', entry } : contested(open, now)
  const abandon = underWay && { abandon: underWay }
  if (!refreshable) return lives ? { kind: 'kept', entry } : { kind: 'dead', entry, reason: noRefreshToken }
  const doubts =
    past.filter(({ outcome }) => outcome === 'ambiguous' || outcome === 'abandoned').length + (open ? 1 : 0)
  if (doubts > 0 && lives) return { kind: 'kept', entry, ...abandon }
  if (doubts >= mostDoubts) return { kind: 'dead', entry, reason: inDoubt, ...abandon }
  const refusals = past.filter(({ outcome }) => outcome === 'refused').length
  if (refusals >= mostRefusals && !lives) return { kind: 'dead', entry, reason: lastWords(past) }
  const pause = pauseAfter(past)
  if (pause > now) return lives ? { kind: 'kept', entry } : inPause(past, now)
  return { kind: 'mine', entry, ...abandon }
}

/** Whether nobody will come back for it any more. */
const isOver = ({ leaseUntil, contestedAt }: VaultRefresh, now: Date): boolean =>
  leaseUntil <= now && contestedAt !== null && now.getTime() - contestedAt.getTime() >= contestMs

/**
 * A lease that is over has not been given up yet: its holder may only have been cut off from Postgres, with the new
 * tokens in its hands. So it gets a little time after somebody else was first seen to get through.
 */
const contested = (open: VaultRefresh, now: Date): Turn =>
  open.leaseUntil <= now && open.contestedAt === null ? { kind: 'busy', contest: open } : { kind: 'busy' }

/**
 * When the next attempt may be made: after failures that certainly spent nothing, in growing intervals from 1 s on, and
 * not before the site wants to be asked again.
 */
function pauseAfter(past: VaultRefresh[]): Date {
  const harmless = past.filter(({ outcome }) => outcome === 'failed' || outcome === 'not_sent' || outcome === 'refused')
  const last = harmless.at(-1)
  if (!last?.endedAt) return new Date(0)
  const pauseMs = Math.min(1000 * 2 ** (harmless.length - 1), longestPauseMs)
  return new Date(Math.max(last.endedAt.getTime() + pauseMs, last.retryAt?.getTime() ?? 0))
}

function inPause(past: VaultRefresh[], now: Date): Turn {
  const wanted = past.at(-1)?.retryAt ?? now
  return { kind: 'unavailable', message: lastWords(past), retryAt: wanted > now ? wanted : null }
}

const lastWords = (past: VaultRefresh[]): string =>
  past.findLast(({ error }) => error !== null)?.error ?? 'The site could not refresh its tokens.'
