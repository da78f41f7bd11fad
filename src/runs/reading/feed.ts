import { hear, nothingHeard, type Heard } from '../live/heard.ts'
import type { Sight } from '../live/look.ts'
import type { TimelineEvent } from './read-timeline.ts'

/** Part of a timeline, shared by all its watchers: not to be changed. */
export type TimelinePage = readonly TimelineEvent[]

/** A watched run, as of the last poll. */
export interface Feed {
  runId: string
  watchers: number
  /** The number of its last event. */
  head: number
  /** Nothing will follow: it has ended, or was deleted. */
  ended: boolean
  /** Whether its model may speak. */
  running: boolean
  heard: Heard
  /** When workers were told last that it is watched. */
  announcedAt: number
  /** Pages that are being read, or were a moment ago, by the number that they begin after. */
  pages: Map<number, Promise<TimelinePage>>
  waiting: Set<() => void>
}

export const newFeed = (runId: string): Feed => ({
  runId,
  watchers: 0,
  head: 0,
  ended: false,
  running: false,
  heard: nothingHeard(),
  announcedAt: -Infinity,
  pages: new Map(),
  waiting: new Set(),
})

/** Updates the feed from the run's row; without a row the run was deleted. */
export function update(feed: Feed, seen: Pick<Sight, 'events' | 'ended'> | undefined): void {
  const ended = feed.ended || !seen || seen.ended
  const head = Math.max(feed.head, seen?.events ?? 0)
  const changed = ended !== feed.ended || head !== feed.head
  Object.assign(feed, { ended, head })
  if (changed) wake(feed)
}

/** The same for what a poll has seen, with the words of the run's model. */
export function updateAll(feed: Feed, seen: Sight | undefined): void {
  feed.running = seen?.running ?? false
  if (seen && hear(feed.heard, seen, seen.events)) wake(feed)
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
