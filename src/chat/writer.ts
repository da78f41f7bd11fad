import { raw } from 'objection'
import { isDeadlock, violatedConstraint, type Database, type Transaction } from '../database/database.ts'
import { sessionContinues } from '../sessions/session-continues.ts'
import { ChatAnswer } from './chat-answer.ts'

/** How long a process that says nothing is taken for alive. It says so every second. */
export const leaseSeconds = 2.5

/** The end of a lease that begins now. Processes do not compare their clocks. */
const leaseEnd = `now() + interval '${leaseSeconds} seconds'`
export const leased = () => raw(leaseEnd)

/** Told of an answer whose process ended, or was lost too often, before the answer. */
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

/** What a writer learns while it writes. */
export interface Beat {
  /** Somebody has asked for the end of the answer, or has ended its session, or keeps its user out. */
  isStopped: boolean
  /** It goes on without its reader. */
  goesOn: boolean
}

/**
 * Says that the writers of these answers are alive. Returns what each learns, by answer; an answer without an entry no
 * longer belongs to its writer.
 */
export async function beat(database: Database, written: Written[]): Promise<Map<string, Beat>> {
  const { rows } = await database.raw<{ rows: (Beat & { id: string })[] }>(beatStatement, {
    ids: written.map(({ id }) => id),
    writers: written.map(({ writer }) => writer),
  })
  return new Map(rows.map(({ id, ...learned }) => [id, learned]))
}

/**
 * Begins the answer if it is its turn: no earlier one of its session is under way or queued. Returns whether it has
 * begun, perhaps in an attempt that was not confirmed. Throws LostAnswerError.
 */
export async function begin(trx: Transaction, { id, writer }: Written): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { begun: boolean }[] }>(beginStatement, { id, writer })
  if (!rows[0]) throw new LostAnswerError()
  return rows[0].begun
}

/** How long an answer has been under way, in milliseconds. Waits for its turn and for approvals do not count. */
export async function workedMs(database: Database, { id }: Pick<Written, 'id'>): Promise<number> {
  const { rows } = await database.raw<{ rows: { ms: number }[] }>(workedStatement, { id })
  return rows[0]?.ms ?? 0
}

/** Whether the answer goes on without its reader, and without its process. */
export const goesOn = async (database: Database, { id }: Pick<Written, 'id'>): Promise<boolean> =>
  (await ChatAnswer.query(database).where({ id, onDisconnect: 'continue' }).resultSize()) > 0

/** Lets another process go on with the answer at once. */
export const release = async (database: Database, { id, writer }: Written): Promise<void> => {
  await ChatAnswer.query(database).where({ id, writer }).whereNull('endedAt').patch({ writer: null, writerUntil: null })
}

/**
 * Makes an answer one that runs; of two that try at the same instant, in one session, one gets `otherwise` and tries
 * again later.
 */
export async function unlessAnotherRuns<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (violatedConstraint(error) === 'chat_answers_running' || isDeadlock(error)) return otherwise
    throw error
  }
}

/** An answer of a session, as SQL about the row `before`: it comes before the row `a` and is not over. */
export const isBefore = `
  before.session_id = a.session_id and before.number < a.number and before.ended_at is null and before.status <> 'waiting'`

const beginStatement = `
  with mine as (
    select session_id, number,
           status = 'running' or not exists (select from chat_answers before where ${isBefore}) as begun
      from chat_answers a where id = :id and writer = :writer and status in ('queued', 'running')
  ), changed as (
    update chat_answers a set status = 'running', started_at = now(), writer_until = ${leaseEnd}
      from mine
     where a.session_id = mine.session_id and a.number = mine.number and mine.begun and a.status = 'queued'
  )
  select begun from mine`

/** An answer whose row is locked is being written, or given away: it does not hold up the others. */
const beatStatement = `
  with mine as (select * from unnest(:ids::uuid[], :writers::uuid[]) as given(id, writer)),
  free as (
    select id from chat_answers join mine using (id, writer) where ended_at is null
       for no key update of chat_answers skip locked
  ), extended as (
    update chat_answers a set writer_until = ${leaseEnd} from free where a.id = free.id
  )
  select a.id, a.on_disconnect = 'continue' as "goesOn",
         a.stop_requested_at is not null
           or not exists (select from sessions s where s.id = a.session_id and ${sessionContinues}) as "isStopped"
    from chat_answers a join mine using (id, writer) where a.ended_at is null`

const workedStatement = `
  select greatest(0, coalesce(extract(epoch from now() - started_at) * 1000 - waited_ms, 0))::float8 as ms
    from chat_answers where id = :id`

/** Once no approval is pending, and while its session goes on. `ended_at` is for the index of answers that are not over. */
const decidedCondition = `
  a.status = 'waiting' and a.ended_at is null
  and not exists (select from approvals p where p.answer_id = a.id and p.status = 'pending')
  and exists (select from sessions s where s.id = a.session_id and ${sessionContinues})`

export const decidedStatement = `select a.id from chat_answers a where ${decidedCondition} limit 100`

/** Gives an answer whose approvals are decided to a writer. */
export const takeDecidedStatement = `
  update chat_answers a
     set status = 'running', writer = :writer, writer_until = ${leaseEnd}, waiting_since = null,
         on_disconnect = 'continue',
         waited_ms = a.waited_ms + greatest(0, extract(epoch from now() - a.waiting_since) * 1000)::bigint
   where a.id = :answerId and ${decidedCondition}
  returning a.id`
