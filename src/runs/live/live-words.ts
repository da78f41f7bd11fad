import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { createPartialText, type TextPiece, type PartialText } from '../../loop/partial-text.ts'
import { attemptInProgress } from './attempt-in-progress.ts'

/** An attempt at a step whose words are shown. */
export interface ShownAttempt {
  runId: string
  step: number
  attempt: number
}

/** Milliseconds between writes. */
const writeMs = 250

/** Minimum milliseconds between queries for watched runs. */
const askMs = 500

/** UTF-16 units that one statement writes, plus at most one piece. The rest waits for the next write. */
const maxWritten = 512 * 1024

/**
 * Relays partial model answers to processes that watch the runs, through two unlogged tables. `NOTIFY` would lock the
 * whole database at commit, and its payload is limited to 8,000 bytes. A worker whose runs nobody watches writes
 * nothing, and queries for watchers at most twice a second. Failures are harmless: the step is recorded anyway.
 */
export function createLiveWords({ database, logger }: { database: Database; logger: Logger }) {
  const answers = new Set<PartialText<ShownAttempt>>()
  /** Finished attempts whose rows still exist. */
  let finished: ShownAttempt[] = []
  let watched = new Set<string>()
  let askedAt = -askMs
  let working: Promise<void> | undefined
  let away = false
  const stopping = new AbortController()

  async function work(): Promise<void> {
    while (answers.size + finished.length > 0 && !stopping.signal.aborted) {
      await delay(writeMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      await pass().catch((error: unknown) => {
        if (!away) logger.warn({ err: error }, 'failed to relay partial model answers')
        away = true
      })
    }
    working = undefined
  }

  /** Sequential, so no row is written after its attempt's rows were removed. */
  async function pass(): Promise<void> {
    await remove()
    const pending = [...answers].filter((answer) => answer.hasMore())
    if (pending.length > 0 && performance.now() - askedAt >= askMs) await ask()
    await write(pending.filter(({ runId }) => watched.has(runId)))
  }

  async function ask(): Promise<void> {
    askedAt = performance.now()
    const runIds = [...answers].map(({ runId }) => runId)
    const { rows } = await database.raw<{ rows: { runId: string }[] }>(askStatement, { runIds })
    watched = new Set(rows.map(({ runId }) => runId))
  }

  async function write(pending: PartialText<ShownAttempt>[]): Promise<void> {
    const pieces: (TextPiece<ShownAttempt> & { answer: PartialText<ShownAttempt> })[] = []
    let room = maxWritten
    for (const answer of pending) {
      const piece = room > 0 ? answer.next() : undefined
      if (piece) pieces.push({ ...piece, answer })
      room -= piece?.words.length ?? 0
    }
    if (pieces.length === 0) return
    await database.raw(writeStatement, columnsOf(pieces))
    away = false
    for (const { answer } of pieces) answer.confirm()
  }

  /**
   * Removes rows of finished attempts, and of earlier ones whose workers may have been killed. `purge` removes the
   * rest.
   */
  async function remove(): Promise<void> {
    const removed = finished
    finished = []
    if (removed.length > 0) await database.raw(removeStatement, columnsOf(removed))
  }

  return {
    /** Begins an attempt: `add` takes words of its answer, `end` finishes it. */
    begin(attempt: ShownAttempt) {
      const answer = createPartialText(attempt)
      answers.add(answer)
      working ??= work()
      const end = (): void => {
        if (answers.delete(answer) && answer.wasShown()) finished.push(attempt)
      }
      return { add: (words: string) => answer.add(words), end }
    },

    /** Deletes words of attempts that are no longer in progress, and expired watches. */
    async purge(): Promise<void> {
      await database.raw(purgeWordsStatement)
      await database.raw(purgeWatchesStatement)
    },

    /** Waits for the current write. `purge` removes the remaining rows. */
    async stop(): Promise<void> {
      stopping.abort()
      await working
    },
  }
}

export type LiveWords = ReturnType<typeof createLiveWords>

/** Rows as one array per column. */
function columnsOf(rows: (ShownAttempt & Partial<TextPiece<ShownAttempt>>)[]) {
  return {
    runIds: rows.map(({ runId }) => runId),
    steps: rows.map(({ step }) => step),
    attempts: rows.map(({ attempt }) => attempt),
    positions: rows.map(({ position = 0 }) => position),
    words: rows.map(({ words = '' }) => words),
  }
}

const askStatement = `
  select run_id as "runId" from live_watches where run_id = any(:runIds) and until > statement_timestamp()`

/** An existing row was written by a statement whose confirmation was lost. */
const writeStatement = `
  insert into live_words (run_id, step, attempt, position, words)
  select * from unnest(:runIds::uuid[], :steps::int[], :attempts::int[], :positions::int[], :words::text[])
      on conflict do nothing`

const removeStatement = `
  delete from live_words w
   using unnest(:runIds::uuid[], :steps::int[], :attempts::int[]) as o (run_id, step, attempt)
   where w.run_id = o.run_id and (w.step, w.attempt) <= (o.step, o.attempt)`

const purgeWordsStatement = `
  delete from live_words w
   where not exists (select from runs r
                      where r.id = w.run_id and ${attemptInProgress} and r.steps + 1 = w.step and r.attempt = w.attempt)`

const purgeWatchesStatement = `delete from live_watches where until < statement_timestamp()`
