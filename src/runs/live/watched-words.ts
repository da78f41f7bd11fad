import type { Database } from '../../database/database.ts'
import { createLiveWords, type Spoken } from '../../loop/live-words.ts'
import type { PartialText } from '../../loop/partial-text.ts'
import type { Logger } from '../../logger.ts'
import { attemptInProgress } from './attempt-in-progress.ts'

/** Milliseconds between writes. */
const writeMs = 250

/** Minimum milliseconds between queries for watched runs. */
const askMs = 500

/** Relays the words of runs that are watched. A worker queries for watchers at most twice a second. */
export function createWatchedWords(context: { database: Database; logger: Logger }) {
  const { database } = context
  let watched = new Set<string>()
  let askedAt = -askMs

  async function read(
    pending: PartialText<Spoken>[],
    open: ReadonlySet<PartialText<Spoken>>,
  ): Promise<PartialText<Spoken>[]> {
    if (performance.now() - askedAt >= askMs) {
      askedAt = performance.now()
      const runIds = [...open].map(({ subjectId }) => subjectId)
      const { rows } = await database.raw<{ rows: { runId: string }[] }>(askStatement, { runIds })
      watched = new Set(rows.map(({ runId }) => runId))
    }
    return pending.filter(({ subjectId }) => watched.has(subjectId))
  }

  return {
    ...createLiveWords(context, { everyMs: writeMs, read }),

    /** Deletes words of attempts that are no longer in progress, and expired watches. */
    async purge(): Promise<void> {
      await database.raw(purgeWordsStatement)
      await database.raw(purgeWatchesStatement)
    },
  }
}

const askStatement = `
  select run_id as "runId" from live_watches where run_id = any(:runIds) and until > statement_timestamp()`

/** Answers of chats have words, too. */
const purgeWordsStatement = `
  delete from live_words w
   where not exists (select from runs r
                      where r.id = w.subject_id and ${attemptInProgress} and r.steps + 1 = w.step and r.attempt = w.attempt)
     and not exists (select from chat_answers a
                      where a.id = w.subject_id and a.ended_at is null and a.steps + 1 = w.step and a.takeovers = w.attempt)`

const purgeWatchesStatement = `delete from live_watches where until < statement_timestamp()`
