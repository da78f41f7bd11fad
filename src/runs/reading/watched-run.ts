import { addWords, emptyAnswer, type PartialAnswer } from '../live/partial-answer.ts'
import type { PolledRun } from '../live/poll-watched.ts'
import type { TimelineEvent } from './read-timeline.ts'

/** Part of a timeline. Shared by all watchers, so never change it. */
export type TimelinePage = readonly TimelineEvent[]

/** A watched run, as of the last poll. */
export interface Feed {
  runId: string
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
}

export const newFeed = (runId: string): Feed => ({
  runId,
  head: 0,
  ended: false,
  running: false,
  answer: emptyAnswer(),
  announcedAt: -Infinity,
  pages: new Map(),
})

/** Updates the feed from the run's row; returns whether it has changed. A missing row means that the run was deleted. */
export function update(feed: Feed, seen: Pick<PolledRun, 'events' | 'ended'> | undefined): boolean {
  const ended = feed.ended || !seen || seen.ended
  const head = Math.max(feed.head, seen?.events ?? 0)
  const changed = ended !== feed.ended || head !== feed.head
  Object.assign(feed, { ended, head })
  return changed
}

/** Updates the feed from a poll, with the words of the run's model; returns whether it has changed. */
export function updateAll(feed: Feed, seen: PolledRun | undefined): boolean {
  feed.running = seen?.running ?? false
  const hasWords = seen !== undefined && addWords(feed.answer, seen, seen.events)
  return update(feed, seen) || hasWords
}
