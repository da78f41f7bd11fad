import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { createPartialText, type PartialText } from '../loop/partial-text.ts'
import type { AnswerChanges } from './changes.ts'
import type { Written } from './writer.ts'

/** How long words are gathered before they are written, in milliseconds. */
const writeMs = 100

/**
 * Passes the words of an answer on to readers in other processes. All of this may fail: the step is recorded as ever.
 * Rows are removed once the answer has ended, and those of processes that died by `purge`.
 */
export function createChatWords(context: { database: Database; logger: Logger; changes: Pick<AnswerChanges, 'note'> }) {
  const { database, logger, changes } = context

  /** Gathers the words of one answer, and writes them once `pass` was called: somebody may read them. */
  function begin({ id: answerId, writer }: Written, sessionId: string) {
    /** Of the step under way: readers have the others from the record. */
    let speech: PartialText<{ answerId: string; writer: string; step: number }> | undefined
    let isPassed = false
    let writing: Promise<void> | undefined

    async function write(): Promise<void> {
      await delay(writeMs)
      for (let piece = speech?.next(); piece; piece = speech?.next()) {
        const of = speech
        await database('chat_words').insert(piece).onConflict().ignore()
        of?.confirm()
        changes.note(sessionId)
      }
      writing = undefined
    }

    function writeSoon(): void {
      if (!isPassed || !speech?.hasMore()) return
      writing ??= write().catch((error: unknown) => {
        writing = undefined
        logger.warn({ err: error, answerId }, 'failed to publish the partial text of an answer')
      })
    }

    return {
      add(step: number, text: string): void {
        if (speech?.step !== step) speech = createPartialText({ answerId, writer, step })
        speech.add(text)
        writeSoon()
      },
      pass(): void {
        isPassed = true
        writeSoon()
      },
      async end(): Promise<void> {
        await writing
        if (isPassed) await remove({ id: answerId, writer })
      },
    }
  }

  const remove = ({ id: answerId, writer }: Written) =>
    database('chat_words')
      .where({ answerId, writer })
      .delete()
      .then(() => undefined)
      .catch((error: unknown) =>
        logger.warn({ err: error, answerId }, 'failed to delete the partial text of an answer'),
      )

  return {
    begin,

    /** What this process's words of a step are after a place in its text. */
    async read({ id: answerId, writer }: Written, step: number, from: number): Promise<string> {
      const rows = await database('chat_words')
        .where({ answerId, writer, step })
        .where('position', '>=', from)
        .orderBy('position')
        .select<{ position: number; words: string }[]>('position', 'words')
      let text = ''
      for (const { position, words } of rows) if (position === from + text.length) text += words
      return text
    },

    /** Removes the words of answers that are not under way any more, and of processes that do not write them any more. */
    async purge(): Promise<void> {
      await database.raw(purgeStatement)
    },
  }
}

export type ChatWords = ReturnType<typeof createChatWords>

const purgeStatement = `
  delete from chat_words w
   where not exists (select from chat_answers a
                      where a.id = w.answer_id and a.writer = w.writer and a.ended_at is null)`
