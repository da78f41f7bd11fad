import type { VaultEntry } from '../vault-entry.ts'
import type { RefreshCause, VaultRefresh } from './vault-refresh.ts'

/** How long the holder of an expired lease has to store its result once Postgres is reachable. */
export const contestMs = 2_000
/**
 * How many attempts in doubt end a grant, and how long a site fails at least before that. The first repetition has nothing
 * left to lose, and neither have the others: whatever an attempt in doubt has used up, nobody has its new tokens. The
 * outage of a token endpoint must not have all its users sign in again.
 */
const mostDoubts = 10
const longestDoubtMs = 60 * 60_000
/** How many times a site may refuse for a reason other than the token, such as an unknown client. */
const mostRefusals = 5
/** The longest pause between two attempts, even if the site asks for a longer one. */
export const longestPauseMs = 5 * 60_000

/**
 * All facts that decide whether the caller may refresh now. `past`: the attempts with the entry's current refresh
 * token, and any open one.
 */
export interface TurnFacts {
  entry: VaultEntry
  past: VaultRefresh[]
  seen: number
  cause: RefreshCause
  now: Date
  refreshable: boolean
}

export type Turn = {
  /** An attempt with an expired lease: its holder's last chance (`contestMs`) starts now. */
  contest?: VaultRefresh
  abandon?: VaultRefresh
} & (
  | { kind: 'mine'; entry: VaultEntry; attemptId?: string }
  | { kind: 'busy' }
  | { kind: 'renewed' | 'kept'; entry: VaultEntry }
  | { kind: 'dead'; entry: VaultEntry; reason: string }
  | { kind: 'unavailable'; message: string; retryAt: Date | null }
  | { kind: 'gone' }
)

const allInDoubt = (count: number) => `The results of the last ${count} token refreshes are unknown.`
const noRefreshToken = 'The access token is no longer valid, and the site did not issue a refresh token.'

/**
 * Decides from the record alone whether the caller may refresh. An attempt in doubt may have used up the refresh token.
 * Then the access token is used until it expires, and the refresh token is tried again until the site answers.
 */
export function decideTurn({ entry, past, seen, cause, now, refreshable }: TurnFacts): Turn {
  if (entry.generation !== seen) return { kind: 'renewed', entry }
  if (entry.status === 'needs_reauth') return { kind: 'dead', entry, reason: entry.statusReason ?? '' }
  const lives = cause !== 'unauthorized' && entry.expiresAt !== null && entry.expiresAt > now
  const underWay = past.find(({ endedAt }) => endedAt === null)
  // An attempt with a replaced token does not count.
  const open = underWay?.generation === entry.generation ? underWay : undefined
  if (open && !isOver(open, now)) return lives ? { kind: 'kept', entry } : contested(open, now)
  const abandon = underWay && { abandon: underWay }
  if (!refreshable) return lives ? { kind: 'kept', entry } : { kind: 'dead', entry, reason: noRefreshToken }
  const doubts = past.filter((attempt) => isInDoubt(attempt) || attempt === open)
  if (doubts.length > 0 && lives) return { kind: 'kept', entry, ...abandon }
  if (isHopeless(doubts, now))
    return { kind: 'dead', entry, reason: reasonInWords(allInDoubt(doubts.length), past), ...abandon }
  const refusals = past.filter(({ outcome }) => outcome === 'refused').length
  if (refusals >= mostRefusals && !lives) return { kind: 'dead', entry, reason: lastWords(past) }
  const pause = pauseAfter(past)
  if (pause > now) return lives ? { kind: 'kept', entry } : inPause(past, now)
  return { kind: 'mine', entry, ...abandon }
}

const isOver = ({ leaseUntil, contestedAt }: VaultRefresh, now: Date): boolean =>
  leaseUntil <= now && contestedAt !== null && now.getTime() - contestedAt.getTime() >= contestMs

/**
 * The holder of an expired lease may only have lost Postgres, with the new tokens in memory. So it gets a little time
 * after another caller first reaches Postgres.
 */
const contested = (open: VaultRefresh, now: Date): Turn =>
  open.leaseUntil <= now && open.contestedAt === null ? { kind: 'busy', contest: open } : { kind: 'busy' }

/** After the first attempt, the rest of the access token's life may have been used. So the second one counts. */
const isHopeless = (doubts: VaultRefresh[], now: Date): boolean =>
  doubts.length >= mostDoubts && now.getTime() - (doubts[1]?.endedAt?.getTime() ?? 0) >= longestDoubtMs

const isInDoubt = ({ outcome }: VaultRefresh): boolean => outcome === 'ambiguous' || outcome === 'abandoned'

/**
 * The time of the next attempt. The intervals grow from 1 s, and the site's Retry-After is respected. The first attempt
 * in doubt makes no pause, because the rest of the access token's life was one.
 */
function pauseAfter(past: VaultRefresh[]): Date {
  const firstInDoubt = past.find(isInDoubt)
  const paused = past.filter((attempt) => attempt.endedAt !== null && attempt !== firstInDoubt)
  const last = paused.at(-1)
  if (!last?.endedAt) return new Date(0)
  const pauseMs = Math.min(1000 * 2 ** (paused.length - 1), longestPauseMs)
  return new Date(Math.max(last.endedAt.getTime() + pauseMs, last.retryAt?.getTime() ?? 0))
}

function inPause(past: VaultRefresh[], now: Date): Turn {
  const wanted = past.at(-1)?.retryAt ?? now
  return { kind: 'unavailable', message: lastWords(past), retryAt: wanted > now ? wanted : null }
}

/** Explains the end of a grant. An answer in doubt comes first, because the site's operator must learn of the fault. */
export function reasonInWords(reason: string, past: readonly VaultRefresh[]): string {
  const inDoubt = past.findLast(({ outcome, error }) => outcome === 'ambiguous' && error !== null)
  return inDoubt?.error ? `${inDoubt.error} ${reason}` : reason
}

const lastWords = (past: VaultRefresh[]): string =>
  past.findLast(({ error }) => error !== null)?.error ?? 'The site could not refresh its tokens.'
