import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { createWatches } from '../loop/watches.ts'
import type { ChatAnswer } from './chat-answer.ts'
import { isBefore } from './writer.ts'

const everyMs = 100

/** An answer, and what the last look has found of it. */
interface Watched {
  id: string
  sessionId: string
  version?: string
}

/** Tells its readers, and the writer whose turn has not come, that an answer has changed. */
export function createAnswerChanges({ database, logger }: { database: Database; logger: Logger }) {
  const failure = 'failed to look at the answers of chats'
  const watches = createWatches<Watched>({ logger, everyMs, look, failure })

  async function look(watched: Watched[]): Promise<void> {
    const ids = watched.map(({ id }) => id)
    const { rows } = await database.raw<{ rows: { id: string; version: string }[] }>(versionsStatement, { ids })
    const found = new Map(rows.map(({ id, version }) => [id, version]))
    for (const one of watched) {
      const version = found.get(one.id)
      if (version === undefined || version === one.version) continue
      one.version = version
      watches.wake(one.id)
    }
  }

  return {
    watch: ({ id, sessionId }: Pick<ChatAnswer, 'id' | 'sessionId'>) => watches.watch(id, () => ({ id, sessionId })),

    /** Says that this process has changed an answer of the session. */
    note(sessionId: string): void {
      for (const one of watches.known()) if (one.sessionId === sessionId) watches.wake(one.id)
    },
  }
}

export type AnswerChanges = ReturnType<typeof createAnswerChanges>

/** What readers are told of an answer, as one text: its state, its calls, the words of its step, and whether it is next. */
const versionsStatement = `
  select a.id, concat_ws(' ', a.status, a.steps, a.writer,
           case when a.status = 'queued' then (select count(*) from chat_answers before where ${isBefore}) end,
           (select count(*) from tool_calls c
             where c.subject_id = any(:ids::uuid[]) and c.subject_id = a.id and c.step >= a.steps and c.ended_at is not null),
           (select sum(length(w.words)) from live_words w
             where w.subject_id = a.id and w.attempt = a.takeovers and w.step > a.steps)) as version
    from chat_answers a where a.id = any(:ids::uuid[])`
