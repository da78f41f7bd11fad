import type { Platform } from '../helpers/platform.ts'
import type { TestSession } from './stage.ts'

/** Gives a session so many messages, each with an answer, as if they had been said one after the other. */
export async function fillSession({ services }: Platform, { id: sessionId }: TestSession, count: number) {
  await services.database.raw(fillStatement, { sessionId, count })
}

const fillStatement = `
  with n as (
    select n, md5(:sessionId || ' m ' || n)::uuid as message, md5(:sessionId || ' a ' || n)::uuid as answer,
           md5(:sessionId || ' a ' || n - 1)::uuid as before
      from generate_series(1, :count::int) n
  ), messages as (
    insert into chat_messages (session_id, number, id, parent_id, created_at, text)
    select :sessionId, 2 * n - 1, message, case when n > 1 then before end, now(), 'Message ' || n || ' ' || repeat('x', 500)
      from n
  ), answers as (
    insert into chat_answers (session_id, number, id, owner_id, message_id, created_at, started_at, ended_at, steps, status,
                              on_disconnect, model, finish)
    select s.id, 2 * n, answer, s.owner_id, message, now(), now(), now(), 1, 'completed', 'cancel', 'm', 'stop'
      from n, sessions s where s.id = :sessionId
  ), steps as (
    insert into steps (subject_id, step, input_tokens, output_tokens, credits, latency_ms, recorded_at, finish, model, answer)
    select answer, 1, 1, 1, 1, 1, now(), 'stop', 'm', 'Answer ' || n from n
  )
  update sessions set last_number = 2 * :count where id = :sessionId`
