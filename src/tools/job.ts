import { earliest, later } from '../clock.ts'
import type { CallOutcome } from './call-outcome.ts'

/**
 * A call that its site works on, as the record has it. It is never sent again: the site is asked what has become of it.
 * The times are texts of ISO 8601.
 */
export interface Job {
  /** What a request about it has to carry, for the adapter alone. */
  state: string
  acceptedAt: string
  /** When nobody waits for it any longer. */
  until: string
  /** When the site last said that it works on it. */
  heardAt: string
  /** The pause that the site wants before the next request, in seconds. */
  askAfter: number
  /** How many requests about it were not answered since then, and when the first of them was not; null if none. */
  unanswered: number
  silentSince: string | null
  /** What the site says about its progress, or nothing. */
  words: string
}

/** What the site has said now. */
export interface Heard {
  state: string
  words: string
  /** When the site wants to be asked again, in seconds. */
  askAfter?: number | undefined
}

/** Limits of a job, in seconds (docs/decisions/0086-wait-for-what-sites-work-on.md). */
export const mostWorkSeconds = 24 * 60 * 60
const mostSilentSeconds = 60 * 60
const [shortestPause, usualPause, longestPause] = [1, 5, 5 * 60]

/** The job after the site has said that it works on it. */
export const heard = (
  { state, words, askAfter = usualPause }: Heard,
  before: Job | null,
  { now, until }: { now: Date; until: Date },
): Job => ({
  state,
  words,
  askAfter,
  acceptedAt: before?.acceptedAt ?? now.toISOString(),
  until: before?.until ?? earliest(until, later(now, mostWorkSeconds)).toISOString(),
  heardAt: now.toISOString(),
  unanswered: 0,
  silentSince: null,
})

/** The job after a request about it that was not answered. */
export const unheard = (job: Job, now: Date): Job => ({
  ...job,
  unanswered: job.unanswered + 1,
  silentSince: job.silentSince ?? now.toISOString(),
})

/**
 * When the site is asked again: at its own pace, within bounds; less often the longer it has worked, and the longer it
 * has not answered.
 */
export function askAgainAt({ acceptedAt, until, unanswered, askAfter }: Job, now: Date): Date {
  const age = (now.getTime() - Date.parse(acceptedAt)) / 1000
  const pause = Math.max(shortestPause, askAfter, age / 20) * 2 ** Math.min(unanswered, 8)
  return earliest(later(now, Math.min(pause, longestPause)), new Date(until))
}

/** Why the site is not asked again; undefined if it is. */
export function whyOver({ until, silentSince }: Job, now: Date): string | undefined {
  if (Date.parse(until) <= now.getTime()) return tooLong
  const isSilent = silentSince !== null && now.getTime() - Date.parse(silentSince) > mostSilentSeconds * 1000
  return isSilent ? silent : undefined
}

const tooLong = 'The site still worked on the call when nobody could wait for it any longer.'
const silent = 'The site worked on the call, and has not answered for an hour what has become of it.'

/** The outcome of a call that the site works on, if nobody learns its end. */
export const inDoubt = (text: string): CallOutcome => ({ kind: 'broken', httpStatus: null, certain: false, text })

/** What the site says about a call that it works on, as users see it; null if it does not work on it. */
export const shownProgress = ({ endedAt, job }: { endedAt: Date | null; job: Job | null }) =>
  job === null || endedAt !== null
    ? null
    : { since: new Date(job.acceptedAt), heardAt: new Date(job.heardAt), text: job.words === '' ? null : job.words }
