import { raw } from 'objection'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Loop } from '../loop/loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { Session } from '../sessions/session.ts'
import { assertActiveUnder } from '../users/user.ts'
import { ChatAnswer } from './chat-answer.ts'
import { ChatMessage } from './chat-message.ts'
import { giveWay } from './give-way.ts'
import { messageToAnswer, parentOf, type ChatRequest, type Tree } from './place.ts'
import { earlierAnswer, hashOf, hasDoneNothing } from './repeats.ts'
import { leased } from './writer.ts'

/** How many answers of a session may be under way or wait for their turn. */
export const maxOpen = 10
/** How many messages and answers a session may have: the places of all of them are read for each step of an answer. */
export const maxNumber = 25_000

/** What a request has come to. */
export interface Accepted {
  answer: ChatAnswer
  /** Whether the answer is new, and has to be written. */
  isNew: boolean
}

/**
 * Takes messages, in the order in which they come, and makes an answer to each: it begins at once if it is its turn.
 */
export function createAccept(context: {
  database: Database
  clock: Clock
  loop: Pick<Loop, 'defaultModel' | 'settleCalls'>
  metrics: Pick<Metrics, 'chatAnswersEnded'>
}) {
  const { database, clock, loop } = context

  async function messageFor(trx: Transaction, session: Session, tree: Tree, request: ChatRequest): Promise<string> {
    if (request.kind === 'again') {
      const messageId = messageToAnswer(tree, request)
      assertThat(messageId, 'VALIDATION_ERROR', {
        message: 'This session has no message whose answer can be regenerated.',
      })
      return messageId
    }
    const { text, clientId = null } = request
    const id = newId()
    const place = { sessionId: session.id, number: (session.lastNumber += 1), parentId: parentOf(tree, request) }
    await ChatMessage.query(trx).insert({ ...place, id, clientId, text, createdAt: clock.now() })
    return id
  }

  /** Somebody else reads the answer too: it goes on without its first reader, and its words are passed on. */
  const join = (trx: Transaction, { sessionId, number }: ChatAnswer) =>
    ChatAnswer.query(trx).findById([sessionId, number]).whereNull('endedAt').patch({ onDisconnect: 'continue' })

  /** Its key names the next answer. */
  const free = (trx: Transaction, { sessionId, number }: ChatAnswer) =>
    ChatAnswer.query(trx).findById([sessionId, number]).patch({ requestKey: null, requestHash: null })

  /**
   * Fails with INVALID_SESSION (it was ended meanwhile), PERMISSION_DENIED (somebody was suspended meanwhile),
   * RATE_LIMITED (too many answers are open) and FEATURE_LIMIT_REACHED (the session is full), and VALIDATION_ERROR if
   * there is nothing to answer again, or the message's id or the request's key was used for something else.
   */
  return ({ id }: Session, request: ChatRequest, writer: string): Promise<Accepted> =>
    database.transaction(async (trx) => {
      const session = await Session.query(trx).findById(id).forUpdate().throwIfNotFound()
      // Sessions are ended under this lock, too: by their owners, and with the login, key or membership that made them.
      assertThat(session.endedAt === null, 'INVALID_SESSION', { message: 'This session has ended.' })
      await assertActiveUnder(trx, session.userId ?? session.ownerId, session.ownerId)
      const earlier = await earlierAnswer(trx, session.id, request)
      if (earlier && !(await hasDoneNothing(trx, earlier))) {
        await join(trx, earlier)
        return { answer: await ChatAnswer.query(trx).findOne({ id: earlier.id }).throwIfNotFound(), isNew: false }
      }
      const { open, waiting } = await unended(trx, session.id)
      const busy = `This session already has ${open} answers in progress. Wait for one to finish.`
      assertThat(open < maxOpen, 'RATE_LIMITED', { message: busy, retryAfter: 5 })
      const full = `This session has reached its limit of ${maxNumber} messages and answers. Create a new session.`
      assertThat(session.lastNumber + 2 <= maxNumber, 'FEATURE_LIMIT_REACHED', { message: full })
      const replaced = waiting > 0 ? await giveWay(trx, context, { sessionId: session.id }, 'completed') : 0
      // One that waited may have gone on meanwhile.
      const isNext = open === 0 && replaced === waiting
      if (earlier) await free(trx, earlier)
      const messageId = earlier?.messageId ?? (await messageFor(trx, session, await treeOf(trx, session.id), request))
      const { id: sessionId, ownerId, onDisconnect } = session
      const answer = await ChatAnswer.query(trx)
        .insert({
          sessionId,
          number: (session.lastNumber += 1),
          id: newId(),
          ownerId,
          messageId,
          ...(request.requestKey !== undefined && { requestKey: request.requestKey, requestHash: hashOf(request) }),
          ...(isNext ? { status: 'running', startedAt: raw('now()') } : { status: 'queued' }),
          onDisconnect,
          model: session.model ?? loop.defaultModel,
          createdAt: clock.now(),
          writer,
          writerUntil: leased(),
        })
        .returning('*')
      await Session.query(trx).findById(sessionId).patch({ lastNumber: session.lastNumber })
      return { answer, isNew: true }
    })
}

/** How many answers of a session are under way or wait for their turn, and how many wait for approval. */
async function unended(trx: Transaction, sessionId: string): Promise<{ open: number; waiting: number }> {
  const { rows } = await trx.raw<{ rows: [{ open: number; waiting: number }] }>(unendedStatement, { sessionId })
  return rows[0]
}

const unendedStatement = `
  select count(*) filter (where status <> 'waiting')::int as open,
         count(*) filter (where status = 'waiting')::int as waiting
    from chat_answers where session_id = :sessionId and ended_at is null`

/** The messages and answers of a session, by their places. */
export async function treeOf(db: Database | Transaction, sessionId: string): Promise<Tree> {
  const { rows } = await db.raw<{ rows: [Tree] }>(treeStatement, { sessionId })
  return rows[0]
}

const treeStatement = `
  select array(select json_build_object('id', id, 'number', number, 'parentId', parent_id, 'clientId', client_id)
                 from chat_messages where session_id = :sessionId order by number) as messages,
         array(select json_build_object('id', id, 'number', number, 'messageId', message_id)
                 from chat_answers where session_id = :sessionId order by number) as answers`
