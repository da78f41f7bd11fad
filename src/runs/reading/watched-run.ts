import { addWords, emptyAnswer, type PartialAnswer } from '../live/partial-answer.ts'
import type { PolledRun } from '../live/poll-watched.ts'
import type { TimelineEvent } from './read-timeline.ts'

/** Part of a timeline. Shared by all watchers, so never change it. */
export type TimelinePage = readonly TimelineEvent[]

/** A watched run, as of the last poll. */
export interface Feed {
  runId: string
  watchers: number
  /** The number of its last event. */
  head: number
  /** Whether the run has ended or was deleted. */
  ended: boolean
  /** Whether its model may be answering. */
  running: boolean
  answer: PartialAnswer
  /** When workers were last told that it is watched. */
  announcedAt: number
  /** Pending and recent pages, by the view and the event number before them. */
  pages: Map<string, Promise<TimelinePage>>
  waiting: Set<() => void>
}

export const newFeed = (runId: string): Feed => ({
  runId,
  watchers: 0,
  head: 0,
  ended: false,
  running: false,
  answer: emptyAnswer(),
  announcedAt: -Infinity,
  pages: new Map(),
  waiting: new Set(),
})

/** Updates the feed from the run's row. A missing row means that the run was deleted. */
export function update(feed: Feed, seen: Pick<PolledRun, 'events' | 'ended'> | undefined): void {
  const ended = feed.ended || !seen || seen.ended
  const head = Math.max(feed.head, seen?.events ?? 0)
  const changed = ended !== feed.ended || head !== feed.head
  Object.assign(feed, { ended, head })
  if (changed) wake(feed)
}

/** Updates the feed from a poll, with the words of the run's model. */
export function updateAll(feed: Feed, seen: PolledRun | undefined): void {
  feed.running = seen?.running ?? false
  if (seen && addWords(feed.answer, seen, seen.events)) wake(feed)
  update(feed, seen)
}

export function wake({ waiting }: Feed): void {
  for (const resolve of waiting) resolve()
}

/** Waits until the run changes or the signal aborts. */
export const changeOf = ({ waiting }: Feed, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      waiting.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    waiting.add(done)
    signal.addEventListener('abort', done)
  })
