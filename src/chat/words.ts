import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { storable } from '../models/calls.ts'

/** How long words are gathered before they are written, in milliseconds. */
const writeMs = 100
/** The most of a step that is shown while it comes, in UTF-16 units; the rest is seen when the step is recorded. */
const maxShown = 128 * 1024

/**
 * Passes the words of an answer on to readers in other processes. All of this may fail: the step is recorded as ever.
 * Rows are removed once the answer has ended, and those of processes that died by `purge`.
 */
export function createChatWords({ database, logger }: { database: Database; logger: Logger }) {
  /** Gathers the words of one answer. */
  function begin(answerId: string) {
    const texts = new Map<number, { text: string; written: number }>()
    let writing: Promise<void> | undefined

    async function write(): Promise<void> {
      await delay(writeMs)
      for (const [step, said] of texts) {
        const position = said.written
        const words = storable(said.text.slice(position))
        if (words === '') continue
        said.written = said.text.length
        await database('chat_words').insert({ answerId, step, position, words }).onConflict().ignore()
      }
      writing = undefined
    }

    return {
      add(step: number, text: string): void {
        const said = texts.get(step) ?? { text: '', written: 0 }
        if (said.text.length < maxShown) said.text += text
        texts.set(step, said)
        writing ??= write().catch((error: unknown) => {
          writing = undefined
          logger.warn({ err: error, answerId }, 'words of an answer could not be passed on')
        })
      },
      async end(): Promise<void> {
        await writing
        await remove(answerId)
      },
    }
  }

  const remove = (answerId: string) =>
    database('chat_words')
      .where({ answerId })
      .delete()
      .then(() => undefined)
      .catch((error: unknown) => logger.warn({ err: error, answerId }, 'words of an answer could not be removed'))

  return {
    begin,

    /** Words of a step after a place in its text. */
    async read(answerId: string, step: number, from: number): Promise<string> {
      const rows = await database('chat_words')
        .where({ answerId, step })
        .where('position', '>=', from)
        .orderBy('position')
        .select<{ position: number; words: string }[]>('position', 'words')
      let text = ''
      for (const { position, words } of rows) if (position === from + text.length) text += words
      return text
    },

    /** Removes the words of answers that are not under way any more. */
    async purge(): Promise<void> {
      await database.raw(purgeStatement)
    },
  }
}

export type ChatWords = ReturnType<typeof createChatWords>

const purgeStatement = `
  delete from chat_words w
   where not exists (select from chat_answers a where a.id = w.answer_id and a.ended_at is null)`
