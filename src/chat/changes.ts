import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { isBefore } from './writer.ts'

/** How often the answers that somebody waits for are looked at, in milliseconds: one query for all of a process. */
const pollMs = 100

interface Watched {
  sessionId: string
  /** What the last look has found. */
  version: string | undefined
  watchers: Set<Watcher>
}

interface Watcher {
  hasChanged: boolean
  wake: () => void
}

/**
 * Tells those who wait for something of an answer, its readers and the writer whose turn has not come, that it has
 * changed: at once if this process has changed it, else with the next look at the record. `NOTIFY` does not pass a pooler
 * of transactions.
 */
export function createAnswerChanges({ database, logger }: { database: Database; logger: Logger }) {
  const watched = new Map<string, Watched>()
  let polling: Promise<void> | undefined
  let isAway = false

  async function poll(): Promise<void> {
    while (watched.size > 0) {
      await delay(pollMs)
      await look().then(
        () => (isAway = false),
        (error: unknown) => {
          if (!isAway) logger.warn({ err: error }, 'failed to look at the answers of chats')
          isAway = true
        },
      )
    }
    polling = undefined
  }

  async function look(): Promise<void> {
    const ids = [...watched.keys()]
    if (ids.length === 0) return
    const { rows } = await database.raw<{ rows: { id: string; version: string }[] }>(versionsStatement, { ids })
    for (const { id, version } of rows) {
      const one = watched.get(id)
      if (!one || one.version === version) continue
      one.version = version
      wakeAll(one)
    }
  }

  return {
    /** Watches an answer. `changed` resolves once something has changed since the watch or the last `changed` began. */
    watch({ id, sessionId }: Pick<ChatAnswer, 'id' | 'sessionId'>) {
      const one: Watched = watched.get(id) ?? { sessionId, version: undefined, watchers: new Set() }
      const watcher: Watcher = { hasChanged: false, wake: () => {} }
      watched.set(id, one)
      one.watchers.add(watcher)
      polling ??= poll()
      return {
        async changed(signal: AbortSignal): Promise<void> {
          signal.throwIfAborted()
          if (!watcher.hasChanged) await woken(watcher, signal)
          watcher.hasChanged = false
        },
        close(): void {
          one.watchers.delete(watcher)
          if (one.watchers.size === 0 && watched.get(id) === one) watched.delete(id)
        },
      }
    },

    /** Says that this process has changed an answer of the session. */
    note(sessionId: string): void {
      for (const one of watched.values()) if (one.sessionId === sessionId) wakeAll(one)
    },
  }
}

export type AnswerChanges = ReturnType<typeof createAnswerChanges>

function wakeAll({ watchers }: Watched): void {
  for (const watcher of watchers) {
    watcher.hasChanged = true
    watcher.wake()
  }
}

/** Throws the signal's reason. */
const woken = (watcher: Watcher, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error)
    signal.addEventListener('abort', giveUp, { once: true })
    watcher.wake = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
  })

/** What readers are told of an answer, as one text: its state, its calls, the words of its step, and whether it is next. */
const versionsStatement = `
  select a.id, concat_ws(' ', a.status, a.steps, a.writer,
           case when a.status = 'queued' then (select count(*) from chat_answers before where ${isBefore}) end,
           (select count(*) from tool_calls c
             where c.subject_id = any(:ids::uuid[]) and c.subject_id = a.id and c.step >= a.steps and c.ended_at is not null),
           (select sum(length(w.words)) from live_words w
             where w.subject_id = a.id and w.attempt = a.takeovers and w.step > a.steps)) as version
    from chat_answers a where a.id = any(:ids::uuid[])`
