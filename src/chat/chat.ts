import { later, type Clock } from '../clock.ts'
import { assertThat } from '../errors.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { Approval } from '../approvals/approval.ts'
import type { Billing } from '../billing/billing.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { noteInLog, type Logger } from '../logger.ts'
import { createLiveWords } from '../loop/live-words.ts'
import type { Loop } from '../loop/loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Outages } from '../outages/outages.ts'
import { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createAccept } from './accept.ts'
import { answerNamed } from './answer-named.ts'
import type { AnswerSpoken } from './attempt.ts'
import { createAnswering, type Writing } from './answering.ts'
import { createChatCalls } from './calls.ts'
import { createAnswerChanges } from './changes.ts'
import { ChatAnswer } from './chat-answer.ts'
import { giveWay } from './give-way.ts'
import { createHistory, type ShownMessage } from './history.ts'
import { createLostAnswers } from './lost-answers.ts'
import { createOpenAnswers } from './open-answers.ts'
import { errorOf, type Sink } from './part-writer.ts'
import { startPart, type ChatPart } from './parts.ts'
import type { ChatRequest } from './place.ts'
import { createRecordStep } from './record-step.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { createReaders } from './readers.ts'
import { earlierAnswer } from './repeats.ts'
import { createReplay } from './replay.ts'
import { createChatSteps } from './steps.ts'
import { decidedStatement, takeDecidedStatement, unlessAnotherRuns } from './writer.ts'

/** Chats: what is said in sessions, and how it is answered (docs/decisions/0050). */
export function createChat(context: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  approvals: Approvals
  billing: Billing
  loop: Loop
  metrics: Pick<Metrics, 'chatAnswersEnded' | 'toolCalls'>
  outages: Outages
  sessions: Sessions
  tracing: Tracing
}) {
  const { database, clock, config, logger, billing } = context
  const changes = createAnswerChanges(context)
  const live = createLiveWords<AnswerSpoken>(context, {
    everyMs: wordsMs,
    read: (pending) => pending.filter(({ passing }) => passing.isPassed),
    onWritten: ({ sessionId }) => changes.note(sessionId),
  })
  const accept = createAccept(context)
  const steps = createChatSteps({ ...context, live, recordStep: createRecordStep(context) })
  const answering = createAnswering({ ...context, steps, changes, calls: createChatCalls(context) })
  const lostAnswers = createLostAnswers(context)
  const readers = createReaders(createReplay({ database, changes }))
  const history = createHistory(context)
  const openAnswers = createOpenAnswers()
  let isEnding = false

  /** Writes the answer to its first reader; others read the record, and its words as they come if it goes on. */
  const writeFor = (writing: Omit<Writing, 'passing'>): Promise<ChatAnswer> =>
    answering.write({ ...writing, passing: { isPassed: writing.answer.onDisconnect === 'continue' } })

  /** How long a client waits at most to learn which answer it gets. */
  const announceMs = config.chat.startSeconds * 1000
  const ageOf = ({ createdAt }: ChatAnswer): number => Math.max(0, clock.now().getTime() - createdAt.getTime())

  /** What readers are told of an answer before its first part. */
  const streamOf = (answer: ChatAnswer, isNew = false): Announced => ({
    start: startPart(answer),
    startMs: isNew || answer.endedAt ? announceMs : Math.max(0, announceMs - ageOf(answer)),
    resumeId: answer.onDisconnect === 'continue' ? answer.id : undefined,
  })

  /** Writes the answer whether or not somebody reads it; its readers read the record. */
  function detach(session: Session, answer: ChatAnswer, writer: string, leave?: () => void): void {
    void writeFor({ session, answer, writer, sink: () => undefined })
      // The record has it, and readers are told from there.
      .catch((error: unknown) => logger.debug({ err: error, answerId: answer.id }, 'answer failed'))
      .finally(leave)
  }

  async function detachOf(answer: ChatAnswer, writer: string): Promise<void> {
    detach(await Session.query(database).findById(answer.sessionId).throwIfNotFound(), answer, writer)
  }

  const lastFirst = ({ id: sessionId }: Session) =>
    ChatAnswer.query(database).where({ sessionId }).orderBy('number', 'desc')

  const underWay = (session: Session) =>
    lastFirst(session).where({ onDisconnect: 'continue' }).whereIn('status', ['queued', 'running']).first()

  /** The last answer, if it went on after an approval: it may be over before the page asks for the rest of it. */
  async function takenUpLately(session: Session): Promise<ChatAnswer | undefined> {
    const last = await lastFirst(session).first()
    const since = later(clock.now(), -resumableSeconds)
    return last && last.waitedMs > 0 && (last.endedAt ?? since) >= since ? last : undefined
  }

  /** Takes an answer up again whose approvals are decided, unless another process has. */
  async function goOn(answerId: string): Promise<void> {
    const writer = newId()
    const take = () => database.raw<{ rows: { id: string }[] }>(takeDecidedStatement, { answerId, writer })
    const { rows } = await unlessAnotherRuns(take, { rows: [] })
    if (rows.length === 0) return
    await detachOf(await ChatAnswer.query(database).findOne({ id: answerId }).throwIfNotFound(), writer)
  }

  return {
    history,

    /**
     * Takes a message. One of the returned functions must be called, once: it carries the answer out. Fails as `accept`
     * does, and with FEATURE_LIMIT_REACHED if the owner has no room for more texts, and RATE_LIMITED if too many
     * answers of the owner are under way.
     */
    async send(session: Session, request: ChatRequest) {
      const writer = newId()
      const { ownerId } = session
      const account = await billing.account(ownerId)
      const isKnown = (await earlierAnswer(database, session.id, request)) !== undefined
      if (!isKnown) await billing.storedBytes.assertStorageLimit(ownerId, account)
      const leave = openAnswers.enter(ownerId, account)
      const { answer, isNew } = await accept(session, request, writer).catch((error: unknown) => {
        leave()
        throw error
      })
      noteInLog({ answerId: answer.id })
      if (isNew && !isKnown)
        billing.storedBytes.noteOne(ownerId, request.kind === 'message' ? Buffer.byteLength(request.text) : 0)
      /** Streams the answer. Throws what comes before the first part. */
      async function stream(sink: Sink, gone: AbortSignal): Promise<void> {
        if (!isNew) return readers.read(answer.id, sink, gone).finally(leave)
        if (answer.onDisconnect === 'cancel') {
          await writeFor({ session, answer, writer, sink, gone }).finally(leave)
          return
        }
        detach(session, answer, writer, leave)
        return readers.read(answer.id, sink, gone)
      }
      return {
        ...streamOf(answer, isNew),
        stream,
        /** The whole answer. Throws the error that it failed with. */
        async whole(gone: AbortSignal): Promise<ShownMessage> {
          await stream(() => undefined, gone)
          const ended = await ChatAnswer.query(database).findOne({ id: answer.id }).throwIfNotFound()
          if (ended.status === 'failed') throw errorOf(ended)
          return history.answer(answer.id)
        },
      }
    },

    /** Streams the answer of the session that goes on without its reader; undefined if there is none. */
    async resume(
      session: Session,
    ): Promise<(Announced & { stream: (sink: Sink, gone: AbortSignal) => Promise<void> }) | undefined> {
      const active = (await underWay(session)) ?? (await takenUpLately(session))
      if (active) noteInLog({ answerId: active.id })
      return active && { ...streamOf(active), stream: (sink, gone) => readers.read(active.id, sink, gone) }
    },

    /**
     * Asks for the end of the answer that has this id or answers the message with this id; nothing happens if it is
     * over: a late request must not end a newer one. Any other id stands for the session. NOT_FOUND if nothing is under
     * way then.
     */
    async stop({ id: sessionId }: Session, named: string): Promise<void> {
      const answer = await answerNamed(database, sessionId, named)
      assertThat(answer, 'NOT_FOUND', {
        message: 'This session has no answer in progress, and no answer with this id.',
      })
      noteInLog({ answerId: answer.id })
      const given = { sessionId, id: answer.id }
      if ((await database.transaction((trx) => giveWay(trx, context, given, 'stopped'))) > 0) return
      const stopped = await ChatAnswer.query(database)
        .where(given)
        .whereIn('status', ['queued', 'running'])
        .patch({ stopRequestedAt: clock.now() })
      if (stopped > 0) answering.stop(answer.id)
    },

    /** Somebody has decided about a call of the answer: it goes on once nothing is pending. */
    goOn,

    /**
     * Goes on with answers whose process is gone, or ends them if nobody reads them any more. Often, and in every
     * process.
     */
    takeUpLost: (): Promise<void> =>
      lostAnswers.takeUp(
        ({ answer, writer }) => detachOf(answer, writer),
        () => isEnding,
      ),

    /** Takes up answers whose approvals were decided or have expired, and ends those of sessions that were ended. */
    async reconcile(): Promise<void> {
      await expire()
      await endWithSessions()
      const { rows } = await database.raw<{ rows: { id: string }[] }>(decidedStatement)
      for (const { id } of rows) await goOn(id)
    },

    /** Lets this process end: see `drain` of the answering, and `dismiss` of the readers. */
    async drain(): Promise<void> {
      isEnding = true
      const until = performance.now() + config.shutdownSeconds * 1000
      await answering.drain()
      await live.stop()
      await readers.dismiss(until)
    },
  }

  /** Answers that waited for approval when their session was ended: nobody writes them. */
  async function endWithSessions(): Promise<void> {
    const { rows } = await database.raw<{ rows: { id: string; sessionId: string }[] }>(orphanedStatement)
    for (const match of rows) await database.transaction((trx) => giveWay(trx, context, match, 'stopped'))
  }

  async function expire(): Promise<void> {
    const due = Approval.query(database).where({ status: 'pending' }).whereNotNull('answerId')
    const now = clock.now()
    await due.where('expiresAt', '<=', now).patch({ status: 'expired', decidedAt: now })
  }
}

/** An answer as its readers learn of it. */
export interface Announced {
  start: ChatPart
  /**
   * After how long the stream begins if no part has come by then, in milliseconds; until then, a failure is a reply.
   */
  startMs: number
  /** Under which its stream can be resumed; undefined if it cannot. */
  resumeId: string | undefined
}

/** How long words are gathered before they are written, in milliseconds. */
const wordsMs = 100

/** How long the rest of an approved answer can be had after its end. */
const resumableSeconds = 60

const orphanedStatement = `
  select a.id, a.session_id as "sessionId" from chat_answers a join sessions s on s.id = a.session_id
   where a.status = 'waiting' and a.ended_at is null and s.ended_at is not null
   limit 100`
