import { Approval } from '../approvals/approval.ts'
import type { Database, Transaction } from '../database/database.ts'
import { Row } from '../database/row.ts'

/** The fate of an answer whose reader disconnects: it is cancelled, or continues. */
export const onDisconnects = ['cancel', 'continue'] as const
export type OnDisconnect = (typeof onDisconnects)[number]

/** A chat session (table `sessions`). Only the hash of its token is stored. */
export class Session extends Row {
  static override tableName = 'sessions'
  declare id: string
  declare ownerId: string
  /** The member who created it, if its owner is a workspace. */
  declare userId: string | null
  /** The API key that created it; null for a login. */
  declare apiKeyId: string | null
  declare tokenHash: string
  declare title: string | null
  /** The name of a configured model, or null for the default one. */
  declare model: string | null
  /** The model that goes on with an answer if that one fails; null for none. */
  declare fallbackModel: string | null
  /** Whether its model summarizes what a long chat leaves out of its prompts. */
  declare summarizes: boolean
  declare onDisconnect: OnDisconnect
  /** The number of its last message or answer. */
  declare lastNumber: number
  declare createdAt: Date
  /** Accurate to a minute. */
  declare usedAt: Date
  declare expiresAt: Date
  /** When it was ended; null also for an expired session. */
  declare endedAt: Date | null
}

/** A connected site that a session may use (table `session_sites`). */
export class SessionSite extends Row {
  static override tableName = 'session_sites'
  static override idColumn = ['sessionId', 'vaultEntryId']
  static override jsonAttributes = ['tools', 'askFirst']
  declare sessionId: string
  declare vaultEntryId: string
  declare position: number
  /** The tools that it may use; null for all of the site's tools. */
  declare tools: string[] | null
  /** The tools that require an approval of each call; null applies the platform's rule. */
  declare askFirst: string[] | null
}

/**
 * Ends the matching sessions: from the commit on, their tokens fail with INVALID_SESSION, and their pending calls
 * cannot be approved. The caller holds the owner's lock, so no session is created in the meantime.
 */
export async function endSessions(
  db: Database,
  match: { id: string } | { userId: string } | { ownerId: string; userId?: string; apiKeyId?: string },
  now: Date,
): Promise<void> {
  const living = Session.query(db).where(match).whereNull('endedAt').where('expiresAt', '>', now)
  const ended = (await living.patch({ endedAt: now }).returning('id')).map(({ id }) => id)
  if (ended.length === 0) return
  const asked = Approval.query(db).where({ status: 'pending' }).whereIn('sessionId', ended)
  await asked.patch({ status: 'withdrawn', decidedAt: now })
}

/** Ends the sessions that a user created, their own and those in workspaces. */
export async function endSessionsOf(db: Database, userId: string, now: Date): Promise<void> {
  await endSessions(db, { ownerId: userId }, now)
  await endSessions(db, { userId }, now)
}

/**
 * Deletes sessions, whose rows the caller has locked, with everything that belongs to them. The locks on their answers
 * keep writers from adding steps and calls, which no foreign key would delete.
 */
export async function deleteSessions(trx: Transaction, ids: string[]): Promise<void> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(lockAnswersStatement, { ids })
  const answerIds = rows.map(({ id }) => id)
  for (const sql of ofAnswers) await trx.raw(sql, { answerIds })
  await trx.raw('delete from sessions where id = any(:ids)', { ids })
}

const lockAnswersStatement = 'select id from chat_answers where session_id = any(:ids) order by id for update'

/** The ids are bound, so that few weekly partitions are searched. The session's cascade deletes the rest. */
const ofAnswers = [
  ...['tool_calls', 'steps', 'live_words'].map(
    (table) => `delete from ${table} where subject_id = any(:answerIds::uuid[])`,
  ),
  'delete from approvals where answer_id = any(:answerIds::uuid[])',
]
