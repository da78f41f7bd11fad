import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { isTransient, type Database } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { createWatches } from '../../loop/watches.ts'
import { startPosition, wordsAfter, type WatcherPosition, type WordsEvent } from '../live/partial-answer.ts'
import { announceWatches, pollRuns } from '../live/poll-watched.ts'
import type { Run } from '../run.ts'
import { newFeed, update, updateAll, type Feed, type TimelinePage } from './watched-run.ts'
import { readOutline } from './read-outline.ts'
import { readTimeline, type TimelineContext } from './read-timeline.ts'

/** What a watcher gets of each event, and the most events per page. Large contents end a page of a timeline early. */
const views = {
  timeline: { read: readTimeline, events: 25 },
  outline: { read: readOutline, events: 500 },
}

export type View = keyof typeof views

/** Fields needed to watch a run. */
type Watched = Pick<Run, 'id' | 'events' | 'endedAt'>

/** Events of a run, or words of its model between two events. */
type Page = TimelinePage | readonly WordsEvent[]

/** How long an announcement lasts beyond three polls, in milliseconds. */
const knownMs = 10_000

/** Watches runs live. */
export function createWatching(
  context: TimelineContext & { database: Database; config: Pick<Config, 'streams'>; logger: Logger },
) {
  const { database, logger } = context
  const { pollMs } = context.config.streams
  const failure = 'failed to poll watched runs'
  const feeds = createWatches<Feed>({ logger, everyMs: pollMs, look: poll, failure })
  const { stopping } = feeds

  /**
   * Yields the run's events after a number, page by page, once and in order, until the run ends, the signal aborts or
   * the process stops. Reads a page only on demand. Waits while Postgres is away and throws other failures. Words of
   * the answer in progress come between the events, from its start.
   */
  async function* watch(
    run: Watched,
    after: number,
    signal: AbortSignal,
    view: View = 'timeline',
  ): AsyncGenerator<Page, void, undefined> {
    const { known: feed, changed, close } = join(run)
    try {
      let cursor = after
      let position: WatcherPosition = startPosition
      while (!signal.aborted && !stopping.aborted) {
        const words = wordsAfter(feed.answer, position, cursor)
        if (feed.head <= cursor && feed.ended) return
        if (feed.head <= cursor && words) {
          position = words.position
          yield words.page
        } else if (feed.head <= cursor) await changed(signal).catch(() => undefined)
        else {
          const page = await pageAfter(feed, cursor, view).catch((reason: unknown) => pauseIfAway(reason, signal))
          const last = page?.at(-1)
          if (page && !last) return
          if (page && last) yield page
          cursor = last?.number ?? cursor
        }
      }
    } finally {
      close()
    }
  }

  function join({ id, events, endedAt }: Watched) {
    const watch = feeds.watch(id, () => newFeed(id))
    if (update(watch.known, { events, ended: endedAt !== null })) feeds.wake(id)
    return watch
  }

  /** Watchers that request the same events at about the same time share a page. */
  function pageAfter(feed: Feed, after: number, view: View): Promise<TimelinePage> {
    const key = `${view} ${after}`
    const known = feed.pages.get(key)
    if (known) return known
    const { read, events } = views[view]
    const reading = read(context, feed.runId, after, events).then(({ items }) => items)
    const forget = () => feed.pages.delete(key)
    feed.pages.set(key, reading)
    reading.then(() => setTimeout(forget, pollMs).unref(), forget)
    return reading
  }

  async function pauseIfAway(reason: unknown, signal: AbortSignal): Promise<undefined> {
    if (!isTransient(reason)) throw reason
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }

  async function poll(all: Feed[]): Promise<void> {
    const watched = all.filter(({ ended }) => !ended)
    if (watched.length === 0 || stopping.aborted) return
    const known = watched.map(({ runId, answer: { step, attempt, text } }) => ({
      runId,
      step,
      attempt,
      offset: text.length,
    }))
    const found = new Map((await pollRuns(database, known)).map((row) => [row.id, row]))
    for (const feed of watched) if (updateAll(feed, found.get(feed.runId))) feeds.wake(feed.runId)
    await announceAll(watched)
  }

  /**
   * Announces watched runs to workers, which relay words of these only. Repeats long before an announcement expires.
   */
  async function announceAll(watched: Feed[]): Promise<void> {
    const lastsMs = knownMs + 3 * pollMs
    const now = performance.now()
    const due = watched.filter(({ running, announcedAt }) => running && now - announcedAt > lastsMs / 3)
    if (due.length === 0) return
    const runIds = due.map(({ runId }) => runId)
    await announceWatches(database, runIds, lastsMs / 1000)
    for (const feed of due) feed.announcedAt = now
  }

  return {
    watch,

    /** Aborts when the process stops. Watchers must reconnect elsewhere. */
    stopping,

    /** Ends every watch and waits for the last poll. */
    stop: feeds.stop,
  }
}
