import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { isTransient, type Database } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { readTimeline, type TimelineContext, type TimelineEvent } from './read-timeline.ts'
import type { Run } from '../run.ts'

/** Events per page, which also ends early if its contents are large. */
const pageEvents = 25

/** Part of a timeline, shared by all its watchers: not to be changed. */
type TimelinePage = readonly TimelineEvent[]

/** What is needed to watch a run. */
type Watched = Pick<Run, 'id' | 'events' | 'endedAt'>

/** A watched run, as of the last poll. */
interface Feed {
  runId: string
  watchers: number
  /** The number of its last event. */
  head: number
  /** Nothing will follow: it has ended, or was deleted. */
  ended: boolean
  /** Pages that are being read, or were a moment ago, by the number that they begin after. */
  pages: Map<number, Promise<TimelinePage>>
  waiting: Set<() => void>
}

/** A watched run, as polled. */
interface Sight {
  id: string
  events: number
  ended: boolean
}

/**
 * Watches runs as they happen (docs/decisions/0029). One query per interval reads all runs that are watched in this
 * process, and none without watchers. Notifications (LISTEN) would cost the writers more than this costs.
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
   * failures.
   */
  async function* watch(
    run: Watched,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<TimelinePage, void, undefined> {
    const feed = join(run)
    try {
      let cursor = after
      while (!signal.aborted && !stopping.signal.aborted) {
        if (feed.head <= cursor && feed.ended) return
        if (feed.head <= cursor) await changeOf(feed, signal)
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
    const feed = feeds.get(id) ?? {
      runId: id,
      watchers: 0,
      head: 0,
      ended: false,
      pages: new Map(),
      waiting: new Set(),
    }
    feeds.set(id, feed)
    feed.watchers += 1
    update(feed, { id, events, ended: endedAt !== null })
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
      await look().then(
        () => (away = false),
        (error: unknown) => {
          if (!away && !stopping.signal.aborted) logger.warn({ err: error }, 'watched runs cannot be polled')
          away = true
        },
      )
    }
    polling = undefined
  }

  async function look(): Promise<void> {
    const watched = [...feeds.values()].filter(({ ended }) => !ended)
    if (watched.length === 0 || stopping.signal.aborted) return
    const { rows } = await database.raw<{ rows: Sight[] }>(
      'select id, events, ended_at is not null as ended from runs where id = any(:runIds)',
      { runIds: watched.map(({ runId }) => runId) },
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const feed of watched) update(feed, found.get(feed.runId))
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

/** Updates the feed from the run's row; without a row the run was deleted. */
function update(feed: Feed, seen: Sight | undefined): void {
  const ended = feed.ended || !seen || seen.ended
  const head = Math.max(feed.head, seen?.events ?? 0)
  const changed = ended !== feed.ended || head !== feed.head
  Object.assign(feed, { ended, head })
  if (changed) wake(feed)
}

function wake({ waiting }: Feed): void {
  for (const resolve of waiting) resolve()
}

/** Waits until the run changes or the signal aborts. */
const changeOf = ({ waiting }: Feed, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      waiting.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    waiting.add(done)
    signal.addEventListener('abort', done)
  })
