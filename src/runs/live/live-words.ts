import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import { createPartialText, type TextPiece, type PartialText } from '../../models/partial-text.ts'
import { underWay } from './under-way.ts'

/** An attempt at a step, of which words are shown. */
export interface Spoken {
  runId: string
  step: number
  attempt: number
}

/** How often words are written, in milliseconds. */
const writeMs = 250

/** How often it is asked which runs are watched, at most, in milliseconds. */
const askMs = 500

/** What one statement writes at most, in UTF-16 units, and one piece more; the rest has its turn next time. */
const maxWritten = 512 * 1024

/**
 * Passes the words of models in progress on to processes in which somebody watches, through two unlogged tables: a
 * `NOTIFY` takes a lock of the whole database at commit, and holds 8,000 bytes. A worker whose runs nobody watches writes
 * nothing, and asks at most twice a second for all of them whether somebody does. All of this may fail: the step is
 * recorded as ever.
 */
export function createLiveWords({ database, logger }: { database: Database; logger: Logger }) {
  const speeches = new Set<PartialText<Spoken>>()
  /** Attempts that are over, whose rows are still there. */
  let over: Spoken[] = []
  let watched = new Set<string>()
  let askedAt = -askMs
  let working: Promise<void> | undefined
  let away = false
  const stopping = new AbortController()

  async function work(): Promise<void> {
    while (speeches.size + over.length > 0 && !stopping.signal.aborted) {
      await delay(writeMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      await pass().catch((error: unknown) => {
        if (!away) logger.warn({ err: error }, 'failed to relay partial model answers')
        away = true
      })
    }
    working = undefined
  }

  /** One after the other, so that no row is written after those of its attempt were removed. */
  async function pass(): Promise<void> {
    await remove()
    const speaking = [...speeches].filter((speech) => speech.hasMore())
    if (speaking.length > 0 && performance.now() - askedAt >= askMs) await ask()
    await write(speaking.filter(({ runId }) => watched.has(runId)))
  }

  async function ask(): Promise<void> {
    askedAt = performance.now()
    const runIds = [...speeches].map(({ runId }) => runId)
    const { rows } = await database.raw<{ rows: { runId: string }[] }>(askStatement, { runIds })
    watched = new Set(rows.map(({ runId }) => runId))
  }

  async function write(speaking: PartialText<Spoken>[]): Promise<void> {
    const pieces: (TextPiece<Spoken> & { speech: PartialText<Spoken> })[] = []
    let room = maxWritten
    for (const speech of speaking) {
      const piece = room > 0 ? speech.next() : undefined
      if (piece) pieces.push({ ...piece, speech })
      room -= piece?.words.length ?? 0
    }
    if (pieces.length === 0) return
    await database.raw(writeStatement, columnsOf(pieces))
    away = false
    for (const { speech } of pieces) speech.confirm()
  }

  /** Also those of earlier attempts, whose workers may have been killed. What it leaves is purged. */
  async function remove(): Promise<void> {
    const removed = over
    over = []
    if (removed.length > 0) await database.raw(removeStatement, columnsOf(removed))
  }

  return {
    /** An attempt begins: `add` takes the words of its answer, and `end` says that no more will come. */
    begin(spoken: Spoken) {
      const speech = createPartialText(spoken)
      speeches.add(speech)
      working ??= work()
      const end = (): void => {
        if (speeches.delete(speech) && speech.wasShown()) over.push(spoken)
      }
      return { add: (words: string) => speech.add(words), end }
    },

    /** Deletes the words of attempts that are not in progress any more, and watches that are over. */
    async purge(): Promise<void> {
      await database.raw(purgeWordsStatement)
      await database.raw(purgeWatchesStatement)
    },

    /** Waits for the words that are being written; what is not removed by then is purged. */
    async stop(): Promise<void> {
      stopping.abort()
      await working
    },
  }
}

export type LiveWords = ReturnType<typeof createLiveWords>

/** Rows as arrays, one for each column. */
function columnsOf(rows: (Spoken & Partial<TextPiece<Spoken>>)[]) {
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

/** A row that is there already was written by a statement whose confirmation was lost. */
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
                      where r.id = w.run_id and ${underWay} and r.steps + 1 = w.step and r.attempt = w.attempt)`

const purgeWatchesStatement = `delete from live_watches where until < statement_timestamp()`
