import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { isTransient, type Database } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { atBeginning, wordsFor, type Place, type WordsEvent } from '../live/heard.ts'
import { announce, look } from '../live/look.ts'
import type { Run } from '../run.ts'
import { changeOf, newFeed, update, updateAll, wake, type Feed, type TimelinePage } from './feed.ts'
import { readTimeline, type TimelineContext } from './read-timeline.ts'

/** Events per page, which also ends early if its contents are large. */
const pageEvents = 25

/** What is needed to watch a run. */
type Watched = Pick<Run, 'id' | 'events' | 'endedAt'>

/** Events of a run, or words of its model that belong between the events before and after them. */
type Page = TimelinePage | readonly WordsEvent[]

/** For how long workers know that a run is watched, in milliseconds, beside three polls. */
const knownMs = 10_000

/**
 * Watches runs as they happen. One query per interval reads all runs that are watched in this process, and none without
 * watchers. A `NOTIFY` in the writers' transactions would take a lock of the whole database at commit, and cost the
 * accept path two thirds of its commits.
 */
export function createWatching(
  context: TimelineContext & { database: Database; config: Pick<Config, 'streams'>; logger: Logger },
) {
  const { database, logger } = context
  const { pollMs } = context.config.streams
  const feeds = new Map<string, Feed>()
  const stopping = new AbortController()
  let polling: Promise<void> | undefined
  let away = false

  /**
   * The run's events after the given number, page by page, each once and in order, until the run ends, the signal
   * aborts or the process stops. A page is read only when it is asked for. Waits while Postgres is away; throws other
   * failures. Between the events are the words of the answer that is in progress, from its beginning.
   */
  async function* watch(run: Watched, after: number, signal: AbortSignal): AsyncGenerator<Page, void, undefined> {
    const feed = join(run)
    try {
      let cursor = after
      let place: Place = atBeginning
      while (!signal.aborted && !stopping.signal.aborted) {
        const words = wordsFor(feed.heard, place, cursor)
        if (feed.head <= cursor && feed.ended) return
        if (feed.head <= cursor && words) {
          place = words.place
          yield words.page
        } else if (feed.head <= cursor) await changeOf(feed, signal)
        else {
          const page = await pageAfter(feed, cursor).catch((reason: unknown) => pauseIfAway(reason, signal))
          const last = page?.at(-1)
          if (page && !last) return
          if (page && last) yield page
          cursor = last?.number ?? cursor
        }
      }
    } finally {
      leave(feed)
    }
  }

  function join({ id, events, endedAt }: Watched): Feed {
    const feed = feeds.get(id) ?? newFeed(id)
    feeds.set(id, feed)
    feed.watchers += 1
    update(feed, { events, ended: endedAt !== null })
    polling ??= poll()
    return feed
  }

  function leave(feed: Feed): void {
    feed.watchers -= 1
    if (feed.watchers === 0) feeds.delete(feed.runId)
  }

  /** Watchers that ask for the same events at about the same time share a page. */
  function pageAfter(feed: Feed, after: number): Promise<TimelinePage> {
    const known = feed.pages.get(after)
    if (known) return known
    const reading = readTimeline(context, feed.runId, after, pageEvents).then(({ items }) => items)
    const forget = () => feed.pages.delete(after)
    feed.pages.set(after, reading)
    reading.then(() => setTimeout(forget, pollMs).unref(), forget)
    return reading
  }

  async function pauseIfAway(reason: unknown, signal: AbortSignal): Promise<undefined> {
    if (!isTransient(reason)) throw reason
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
  }

  async function poll(): Promise<void> {
    while (feeds.size > 0 && !stopping.signal.aborted) {
      await delay(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      await lookAtAll().then(
        () => (away = false),
        (error: unknown) => {
          if (!away && !stopping.signal.aborted) logger.warn({ err: error }, 'watched runs cannot be polled')
          away = true
        },
      )
    }
    polling = undefined
  }

  async function lookAtAll(): Promise<void> {
    const watched = [...feeds.values()].filter(({ ended }) => !ended)
    if (watched.length === 0 || stopping.signal.aborted) return
    const known = watched.map(({ runId, heard: { step, attempt, text } }) => ({
      runId,
      step,
      attempt,
      offset: text.length,
    }))
    const found = new Map((await look(database, known)).map((row) => [row.id, row]))
    for (const feed of watched) updateAll(feed, found.get(feed.runId))
    await announceAll(watched)
  }

  /** Workers pass on the words of runs that they know to be watched. They are told again long before they forget. */
  async function announceAll(watched: Feed[]): Promise<void> {
    const lastsMs = knownMs + 3 * pollMs
    const now = performance.now()
    const due = watched.filter(({ running, announcedAt }) => running && now - announcedAt > lastsMs / 3)
    if (due.length === 0) return
    const runIds = due.map(({ runId }) => runId)
    await announce(database, runIds, lastsMs / 1000)
    for (const feed of due) feed.announcedAt = now
  }

  return {
    watch,

    /** Aborts when the process is stopping: watchers must reconnect elsewhere. */
    stopping: stopping.signal,

    /** Ends every watch, and waits for the last poll. */
    async stop(): Promise<void> {
      stopping.abort()
      for (const feed of feeds.values()) wake(feed)
      await polling
    },
  }
}
