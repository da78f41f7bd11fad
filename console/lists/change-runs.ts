import type { Api } from '../api/client.ts'
import { problemOf } from '../api/problem.ts'
import { hasEnded, type ListedRun } from './run-list.ts'

/** What can be done with several runs at once. */
export type Way = 'cancel' | 'skip'

/** The runs that a change is about: some, or all that match. */
export type Target = { runIds: readonly string[] } | { filter: Api['RunFilter'] }

export interface Progress {
  changed: number
  refused: Api['RefusedRun'][]
  /** Whether some runs were not tried yet. */
  more: boolean
}

type Body = { runIds: string[] } | { filter: Api['RunFilter'] }
type Send = (body: Body) => Promise<Api['ChangedRuns']>

/** The most runs that one request names. */
const mostNamed = 100
const pauseMs = 5000

/**
 * Changes runs, request by request, and reports its progress after each. A reader stops it by reading no further.
 * After too many requests it pauses.
 */
export async function* changeRuns(target: Target, send: Send, pause = waitFor): AsyncGenerator<Progress, void> {
  const progress: Progress = { changed: 0, refused: [], more: true }
  for (let at = 0; progress.more; at += mostNamed) {
    const { changed, refused, more } = await patiently(() => send(bodyAt(target, at)), pause)
    progress.changed += changed
    progress.refused.push(...refused)
    progress.more = 'filter' in target ? more : at + mostNamed < target.runIds.length
    yield { ...progress, refused: [...progress.refused] }
    // Runs that are refused match the filter again and again.
    if ('filter' in target && changed === 0) return
  }
}

const bodyAt = (target: Target, at: number): Body =>
  'filter' in target ? { filter: target.filter } : { runIds: target.runIds.slice(at, at + mostNamed) }

async function patiently<Answer>(send: () => Promise<Answer>, pause: typeof waitFor): Promise<Answer> {
  while (true) {
    try {
      return await send()
    } catch (error) {
      if (problemOf(error).code !== 'RATE_LIMITED') throw error
      await pause(pauseMs)
    }
  }
}

const waitFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** How many of these runs a change is about. The others have ended, or are at work and cannot be skipped. */
export function affectedBy(way: Way, runs: readonly ListedRun[]): number {
  const open = runs.filter((run) => !hasEnded(run))
  return way === 'cancel' ? open.length : open.filter(({ status }) => status !== 'running').length
}

/** Whether a change of all runs with this status could change any. */
export const mayAffect = (way: Way, status: Api['RunStatus'] | undefined): boolean =>
  status === undefined || (!hasEnded({ status }) && (way === 'cancel' || status !== 'running'))
