import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { beginRound, largeBatch, fittingIds, type Sized } from '../database/batches.ts'
import { deleteSessions } from './session.ts'

/** Makes the function that deletes sessions, with all their messages, RUN_RETENTION_DAYS after their end. */
export function createPurgeSessions(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'runRetentionDays'>
  logger: Logger
}) {
  const { database, clock, config, logger } = context

  /**
   * One round. It ends after a few seconds, or when the signal aborts, and keeps its progress. Several processes may
   * purge at the same time: each takes rows that the others have not locked.
   */
  return async function purge(stopping: AbortSignal): Promise<void> {
    const isOver = beginRound(stopping)
    const before = later(clock.now(), -config.runRetentionDays * 86_400)
    let sessions = 0
    while (!isOver()) {
      const { deleted, more } = await database.transaction((trx) => purgeBatch(trx, before))
      sessions += deleted
      if (!more) break
    }
    if (sessions > 0) logger.info({ sessions, before }, 'purged old sessions')
  }
}

async function purgeBatch(trx: Transaction, before: Date): Promise<{ deleted: number; more: boolean }> {
  const { rows } = await trx.raw<{ rows: Sized[] }>(lockStatement, { before, most: largeBatch.things })
  const ids = fittingIds(rows)
  await deleteSessions(trx, ids)
  return { deleted: ids.length, more: ids.length < rows.length || rows.length === largeBatch.things }
}

/** An idle session ends before its lifetime does; a day more does not matter. Answers are ended first. */
const lockStatement = `
  select id, last_number as parts from sessions s
   where coalesce(ended_at, expires_at) < :before
     and not exists (select from chat_answers a where a.session_id = s.id and a.ended_at is null)
   order by coalesce(ended_at, expires_at) limit :most for update skip locked`
