import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { createRounds } from '../rounds.ts'
import { createPartialText, type TextPiece, type PartialText } from './partial-text.ts'

/** An attempt at a step of a run or an answer whose words are shown. */
export interface Spoken {
  subjectId: string
  step: number
  attempt: number
}

/** UTF-16 units that one statement writes, plus at most one piece. The rest waits for the next write. */
const maxWritten = 512 * 1024

/** Whose words are written: how often, in milliseconds, which of them, and who is told once they are. */
interface Showing<Of extends Spoken> {
  everyMs: number
  read: (
    pending: PartialText<Of>[],
    open: ReadonlySet<PartialText<Of>>,
  ) => PartialText<Of>[] | Promise<PartialText<Of>[]>
  onWritten?: (of: Of) => void
}

/**
 * Relays partial model answers to processes that read runs or answers, through an unlogged table. `NOTIFY` would lock the
 * whole database at commit, its payload is limited to 8,000 bytes, and it does not pass a pooler of transactions. Words
 * that nobody reads are not written. Failures are harmless: the step is recorded anyway.
 */
export function createLiveWords<Of extends Spoken>(
  { database, logger }: { database: Database; logger: Logger },
  { everyMs, read, onWritten }: Showing<Of>,
) {
  const answers = new Set<PartialText<Of>>()
  /** Finished attempts whose rows still exist. */
  let finished: Spoken[] = []
  const failure = 'failed to relay partial model answers'
  const isNeeded = () => answers.size + finished.length > 0
  const rounds = createRounds({ logger, everyMs, isNeeded, round, failure })

  /** Sequential, so no row is written after its attempt's rows were removed. */
  async function round(): Promise<void> {
    await remove()
    const pending = [...answers].filter((answer) => answer.hasMore())
    if (pending.length > 0) await write(await read(pending, answers))
  }

  async function write(pending: PartialText<Of>[]): Promise<void> {
    const pieces: { answer: PartialText<Of>; piece: TextPiece<Of> }[] = []
    let room = maxWritten
    for (const answer of pending) {
      const piece = room > 0 ? answer.next() : undefined
      if (piece) pieces.push({ answer, piece })
      room -= piece?.words.length ?? 0
    }
    if (pieces.length === 0) return
    await database.raw(writeStatement, columnsOf(pieces.map(({ piece }) => piece)))
    for (const { answer, piece } of pieces) {
      answer.confirm()
      onWritten?.(piece)
    }
  }

  /**
   * Removes rows of finished attempts, and of earlier ones whose processes may have been killed. `purge` removes the
   * rest.
   */
  async function remove(): Promise<void> {
    const removed = finished
    finished = []
    if (removed.length > 0) await database.raw(removeStatement, columnsOf(removed))
  }

  return {
    /** Begins an attempt: `add` takes words of its answer, `end` finishes it. */
    begin(attempt: Of) {
      const answer = createPartialText(attempt)
      answers.add(answer)
      rounds.begin()
      const end = (): void => {
        if (answers.delete(answer) && answer.wasShown()) finished.push(attempt)
      }
      return { add: (words: string) => answer.add(words), end }
    },

    /** Waits for the current write. A purge removes the remaining rows. */
    stop: rounds.stop,
  }
}

export type LiveWords<Of extends Spoken = Spoken> = ReturnType<typeof createLiveWords<Of>>

/** What was written of an attempt's answer after a place in its text. */
export async function readWords(
  database: Database,
  { subjectId, step, attempt }: Spoken,
  from: number,
): Promise<string> {
  const rows = await database('live_words')
    .where({ subjectId, step, attempt })
    .where('position', '>=', from)
    .orderBy('position')
    .select<{ position: number; words: string }[]>('position', 'words')
  return rows.reduce((text, { position, words }) => (position === from + text.length ? text + words : text), '')
}

/** Rows as one array per column. */
function columnsOf(rows: (Spoken & Partial<TextPiece<Spoken>>)[]) {
  return {
    subjectIds: rows.map(({ subjectId }) => subjectId),
    steps: rows.map(({ step }) => step),
    attempts: rows.map(({ attempt }) => attempt),
    positions: rows.map(({ position = 0 }) => position),
    words: rows.map(({ words = '' }) => words),
  }
}

/** An existing row was written by a statement whose confirmation was lost. */
const writeStatement = `
  insert into live_words (subject_id, step, attempt, position, words)
  select * from unnest(:subjectIds::uuid[], :steps::int[], :attempts::int[], :positions::int[], :words::text[])
      on conflict do nothing`

const removeStatement = `
  delete from live_words w
   using unnest(:subjectIds::uuid[], :steps::int[], :attempts::int[]) as o (subject_id, step, attempt)
   where w.subject_id = o.subject_id and (w.step, w.attempt) <= (o.step, o.attempt)`
