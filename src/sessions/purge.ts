import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'

/** Sessions that one transaction deletes, and messages and answers in them; larger batches would hold locks for too long. */
const batch = { sessions: 200, messages: 5000 }

/** How long a round starts new batches, in milliseconds. The rest waits for the next round. */
const roundMs = 5000

const dayMs = 86_400_000

/** Makes the function that deletes sessions, with all that was said in them, RUN_RETENTION_DAYS after they are over. */
export function createPurge(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /**
   * One round. It ends after a few seconds, or when the signal aborts, and keeps what it has done. Several processes may
   * purge at once: each takes what the others have not locked.
   */
  return async function purge(stopping: AbortSignal): Promise<void> {
    const begun = performance.now()
    const before = new Date(clock.now().getTime() - config.runRetentionDays * dayMs)
    let sessions = 0
    while (!stopping.aborted && performance.now() - begun < roundMs) {
      const { deleted, more } = await database.transaction((trx) => purgeBatch(trx, before))
      sessions += deleted
      if (!more) break
    }
    if (sessions > 0) logger.info({ sessions, before }, 'old sessions were purged')
  }
}

async function purgeBatch(trx: Transaction, before: Date): Promise<{ deleted: number; more: boolean }> {
  const bindings = { before, most: batch.sessions }
  const { rows } = await trx.raw<{ rows: { id: string; messages: number }[] }>(lockStatement, bindings)
  const ids: string[] = []
  let messages = 0
  for (const row of rows) {
    messages += row.messages
    if (ids.length > 0 && messages > batch.messages) break
    ids.push(row.id)
  }
  await trx.raw(approvalsStatement, { ids })
  await trx.raw('delete from sessions where id = any(:ids)', { ids })
  return { deleted: ids.length, more: ids.length < rows.length || rows.length === batch.sessions }
}

/** A session that nobody uses is over before its lifetime is; a day more does not matter. Answers are ended first. */
const lockStatement = `
  select id, last_number as messages from sessions s
   where coalesce(ended_at, expires_at) < :before
     and not exists (select from chat_answers a where a.session_id = s.id and a.ended_at is null)
   order by coalesce(ended_at, expires_at) limit :most for update skip locked`

/** Rows of approvals refer to no session, so they do not go with it. */
const approvalsStatement = `
  delete from approvals p using chat_answers a where a.session_id = any(:ids) and p.answer_id = a.id`
