import { later, type Clock } from '../clock.ts'
import { violatedConstraint, type Database, type Transaction } from '../database/database.ts'
import { sessionContinues } from '../sessions/session-continues.ts'
import { ChatAnswer } from './chat-answer.ts'

/** For how long a process that says nothing is taken for alive. */
export const writerSeconds = 15

/** What is told of an answer whose process was killed, or ended before the answer. */
export const writerHasStopped = 'The server that wrote this answer has stopped. Send the message again.'

/** The answer was given to another process, or has ended. What this one was about to write is not written. */
export class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError'

  constructor() {
    super('the answer no longer belongs to this process')
  }
}

/** An answer, and who writes it. */
export interface Written {
  id: string
  writer: string
}

/** Locks the answer for its writer. Throws LostAnswerError. */
export async function lockAnswer(trx: Transaction, { id, writer }: Written): Promise<ChatAnswer> {
  const answer = await ChatAnswer.query(trx).findOne({ id, writer }).whereNull('endedAt').forUpdate()
  if (!answer) throw new LostAnswerError()
  return answer
}

/**
 * Says that the writer is alive, and learns whether somebody has asked for the end of the answer, or has ended its
 * session, or keeps its user out; and whether it goes on without its reader. Throws LostAnswerError.
 */
export async function beat(
  database: Database,
  clock: Clock,
  { id, writer }: Written,
): Promise<{ isStopped: boolean; goesOn: boolean }> {
  const until = later(clock.now(), writerSeconds)
  const { rows } = await database.raw<{ rows: { isStopped: boolean; goesOn: boolean }[] }>(beatStatement, {
    id,
    writer,
    until,
  })
  const [answer] = rows
  if (!answer) throw new LostAnswerError()
  return answer
}

/**
 * Begins the answer if it is its turn: no earlier one of its session is under way or queued. Returns whether it has
 * begun. Throws LostAnswerError.
 */
export async function begin(database: Database, clock: Clock, { id, writer }: Written): Promise<boolean> {
  const bindings = { id, writer, now: clock.now(), until: later(clock.now(), writerSeconds) }
  const row = await unlessAnotherRuns(
    async () => {
      const { rows } = await database.raw<{ rows: { begun: boolean }[] }>(beginStatement, bindings)
      return rows[0]
    },
    { begun: false },
  )
  if (!row) throw new LostAnswerError()
  return row.begun
}

/**
 * Makes an answer one that runs; of two that try at the same instant, in one session, one gets `otherwise` and tries
 * again later.
 */
export async function unlessAnotherRuns<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (violatedConstraint(error) === 'chat_answers_running') return otherwise
    throw error
  }
}

const beginStatement = `
  with mine as (
    select session_id, number,
           not exists (select from chat_answers before
                        where before.session_id = a.session_id and before.number < a.number
                          and before.ended_at is null and before.status <> 'waiting') as begun
      from chat_answers a where id = :id and writer = :writer and status = 'queued'
  ), changed as (
    update chat_answers a set status = 'running', started_at = :now, writer_until = :until
      from mine where a.session_id = mine.session_id and a.number = mine.number and mine.begun
  )
  select begun from mine`

const beatStatement = `
  update chat_answers a set writer_until = :until
   where id = :id and writer = :writer and ended_at is null
  returning stop_requested_at is not null
         or not exists (select from sessions s where s.id = a.session_id and ${sessionContinues}) as "isStopped",
            on_disconnect = 'continue' as "goesOn"`
