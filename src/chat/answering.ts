import { setTimeout as delay } from 'node:timers/promises'
import { pendingOfAnswers } from '../approvals/approval.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { isTransient, retryWhileUnavailable, type Database } from '../database/database.ts'
import { regardless } from '../database/while-permitted.ts'
import { logging, type Logger } from '../logger.ts'
import type { Session } from '../sessions/session.ts'
import type { Tracing } from '../tracing/tracing.ts'
import { ToolCall, isFinal } from '../tools/tool-call.ts'
import { assertStepLeft, assertWithin } from './budgets.ts'
import { beatMs, createBeats } from './beats.ts'
import type { AnswerChanges } from './changes.ts'
import { ChatAnswer } from './chat-answer.ts'
import type { createChatCalls } from './calls.ts'
import { isOver, noAnswer } from '../loop/judge.ts'
import type { Loop } from '../loop/loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { Step } from '../loop/step.ts'
import { isTold } from './told-steps.ts'
import { createEnding } from './ending.ts'
import { giveWay } from './give-way.ts'
import { createPartWriter, type PartWriter, type Sink } from './part-writer.ts'
import type { createChatSteps } from './steps.ts'
import type { Passing } from './attempt.ts'
import { tracedAnswer } from './traced-answer.ts'
import { begin, LostAnswerError, unlessAnotherRuns, workedMs, type Beat, type Written } from './writer.ts'

/** Why an answer is given up: somebody asked for it, its reader is gone, it takes too long, or this process ends. */
type GivenUp = 'stopped' | 'gone' | 'late' | 'shutdown'

/** What comes after a step: another one, a decision of somebody, or the end, with the model's reason for it. */
type Outcome = 'more' | 'approval' | { ended: string }

/** An answer that this process writes. */
export interface Writing {
  session: Session
  answer: ChatAnswer
  writer: string
  sink: Sink
  passing: Passing
  /** Aborts when the reader is gone, if that matters. */
  gone?: AbortSignal | undefined
}

/** An answer that is under way, with what takes its parts and what gives it up. */
interface Work extends Writing {
  parts: PartWriter
  signal: AbortSignal
  /** How many of its steps are recorded and told. */
  told: number
}

/** How often an answer is continued because Postgres broke. */
const mostRecoveries = 10

/**
 * Writes answers: model step, its tool calls, model step, until the model has finished, a call has to be approved, or
 * the answer is given up. It runs in the process that took the message: nothing is left to do for it once its writer is
 * gone.
 */
export function createAnswering(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'chat' | 'budgets' | 'shutdownSeconds'>
  logger: Logger
  billing: Pick<Billing, 'credits'>
  loop: Pick<Loop, 'settleCalls'>
  metrics: Pick<Metrics, 'chatAnswersEnded'>
  steps: ReturnType<typeof createChatSteps>
  calls: ReturnType<typeof createChatCalls>
  changes: AnswerChanges
  tracing: Tracing
}) {
  const { database, config, logger, steps, calls, changes, tracing } = context
  const ending = createEnding(context)
  const beats = createBeats(context)
  const underWay = new Map<string, { stop: AbortController; work: Promise<unknown> }>()
  /** When this process gives up what it still writes: no time before it is told to end. */
  let until = Infinity

  /** Waits until it is the answer's turn: earlier ones of its session are over, or wait for approval and give way. */
  async function turn(written: Written, { id, sessionId }: ChatAnswer, signal: AbortSignal): Promise<void> {
    const watch = changes.watch({ id, sessionId })
    const beginIfFree = () =>
      database.transaction(async (trx) => {
        // One that was given up meanwhile must not end those that wait for approval.
        signal.throwIfAborted()
        const hasBegun = await begin(trx, written)
        if (hasBegun) await giveWay(trx, context, { sessionId }, 'completed')
        return hasBegun
      })
    try {
      while (!(await retryWhileUnavailable(() => unlessAnotherRuns(beginIfFree, false)))) await watch.changed(signal)
    } finally {
      watch.close()
    }
    changes.note(sessionId)
  }

  // What has been done is told to its reader although Postgres is away for some seconds.
  const callsOf = (subjectId: string, step: number): Promise<ToolCall[]> =>
    retryWhileUnavailable(() => ToolCall.query(database).where({ subjectId, step }).orderBy('position'))

  /** Makes the calls of a step that are left. Returns what comes after them: some may wait for approval. */
  async function performCalls(
    { answer: { id, ownerId }, session, writer, parts, signal }: Work,
    step: number,
    asked: ToolCall[],
  ): Promise<Outcome> {
    const secrets = await retryWhileUnavailable(() => steps.secretsOf(session))
    const made = await Promise.allSettled(
      asked
        .filter(({ status }) => !isFinal(status))
        .map(async (call) => {
          await calls.perform(call, { ownerId, writer, secrets, signal })
          changes.note(session.id)
        }),
    )
    // The outcome of each is on record before anything follows from the failure of another.
    for (const result of made) if (result.status === 'rejected') throw result.reason
    const after = await callsOf(id, step)
    for (const call of after) if (isFinal(call.status)) await parts.outcome(call)
    await parts.endStep()
    signal.throwIfAborted()
    return after.every(({ status }) => isFinal(status)) ? 'more' : 'approval'
  }

  const answerNow = (id: string): Promise<ChatAnswer> =>
    retryWhileUnavailable(() => ChatAnswer.query(database).findOne({ id }).throwIfNotFound())

  /** What ends the answer now, or nothing if the model is asked once more. */
  async function stepOnce(work: Work, answer: ChatAnswer): Promise<Outcome> {
    const { id } = answer
    const step = answer.steps + 1
    assertStepLeft(answer, config.budgets)
    const { session, writer, passing, parts, signal } = work
    const onWords = (text: string) => parts.words(step, text)
    const asked = await steps.ask({ session, answer, written: { id, writer }, passing, onWords, signal })
    changes.note(session.id)
    work.told = step
    if (asked.isTold) await parts.step(step, asked.text, asked.calls)
    if (asked.calls.length === 0) {
      await parts.endStep()
      return asked.isOver ? { ended: asked.finish } : 'more'
    }
    // Before the calls: what is beyond the budget is not done.
    await assertWithin(database, await answerNow(id), config.budgets)
    return performCalls(work, step, asked.calls)
  }

  /** Takes steps until there is nothing to do. Returns why the answer has ended for now. */
  async function follow(work: Work): Promise<Exclude<Outcome, 'more'>> {
    let { answer } = work
    let outcome = answer.steps > 0 ? await resume(work) : await stepOnce(work, answer)
    while (outcome === 'more') {
      answer = await answerNow(answer.id)
      outcome = await stepOnce(work, answer)
    }
    return outcome
  }

  /**
   * Follows an answer although Postgres breaks: it continues from its last recorded step, like one that another process
   * takes up. It fails if its reader would be told something twice, or never.
   */
  async function persist(work: Work): Promise<Exclude<Outcome, 'more'>> {
    const { answer, parts, signal } = work
    for (let recoveries = 0; ; recoveries += 1) {
      try {
        return await follow(work)
      } catch (error) {
        if (!isTransient(error) || signal.aborted || recoveries === mostRecoveries || parts.written() > 0) throw error
        logger.warn(
          { err: error },
          'the connection to Postgres broke: the chat answer resumes after its last recorded step',
        )
        await delay(recoveries * 100, undefined, { signal })
        work.answer = await answerNow(answer.id)
        if (work.answer.steps !== work.told) throw error
      }
    }
  }

  /** Makes the calls that the last recorded step has left. */
  async function resume(work: Work): Promise<Outcome> {
    const { id, steps: done, model, corrections } = work.answer
    const asked = await callsOf(id, done)
    // Its process was lost before it could record the end.
    const last = asked.length === 0 ? await Step.query(database).findById([id, done]) : undefined
    if (last && isOver(last.outcome, { corrections, isOtherAsked: last.model !== model })) {
      if (!isTold(last)) throw noAnswer()
      return { ended: last.finish }
    }
    await assertWithin(database, work.answer, config.budgets)
    return asked.length > 0 ? performCalls(work, done, asked) : 'more'
  }

  /**
   * How long the answer may take yet; `answer` is the row that its writer was given. By the database's clock: it may have
   * begun in another process.
   */
  async function timeLeft(answer: ChatAnswer): Promise<number> {
    const hasJustBegun = answer.status === 'running' && answer.steps === 0 && answer.takeovers === 0
    const worked = hasJustBegun ? 0 : await retryWhileUnavailable(() => workedMs(database, answer))
    return Math.max(0, config.chat.timeoutSeconds * 1000 - worked)
  }

  /** Follows what the writer of an answer has learned. Returns whether the answer goes on without its reader. */
  function heed(learned: Beat | LostAnswerError, passing: Passing, stop: AbortController): boolean {
    if (learned instanceof LostAnswerError) stop.abort(learned)
    else if (learned.isStopped) stop.abort('stopped' satisfies GivenUp)
    const goesOn = !(learned instanceof LostAnswerError) && learned.goesOn
    passing.isPassed ||= goesOn
    return goesOn
  }

  async function carryOut(writing: Writing, stop: AbortController): Promise<ChatAnswer> {
    const { answer, gone } = writing
    const written = { id: answer.id, writer: writing.writer }
    const parts = createPartWriter(answer, writing.sink)
    const giveUp = () => stop.abort('gone' satisfies GivenUp)
    const leave = () => {
      const patience = setTimeout(giveUp, beatMs)
      // Somebody else may have begun to read it.
      void beats
        .once(written)
        .then((learned) => (heed(learned, writing.passing, stop) ? undefined : giveUp()), giveUp)
        .finally(() => clearTimeout(patience))
    }
    if (gone?.aborted) leave()
    gone?.addEventListener('abort', leave, { once: true })
    const endBeats = beats.keep(written, (learned) => void heed(learned, writing.passing, stop))
    let late: NodeJS.Timeout | undefined
    try {
      // While nobody wrote it, somebody may have stopped it, or ended its session.
      if (answer.takeovers > 0) heed(await retryWhileUnavailable(() => beats.once(written)), writing.passing, stop)
      stop.signal.throwIfAborted()
      if (answer.status === 'queued') await turn(written, answer, stop.signal)
      const current = answer.status === 'queued' ? await answerNow(answer.id) : answer
      late = setTimeout(() => stop.abort('late' satisfies GivenUp), await timeLeft(answer))
      const told = current.steps
      const outcome = await persist({ ...writing, answer: current, parts, signal: stop.signal, told })
      if (outcome !== 'approval')
        return await ending.end(written, { status: 'completed', finish: outcome.ended }, parts)
      const pending = await retryWhileUnavailable(() => pendingOfAnswers(database, [answer.id]))
      for (const approval of pending) await parts.approval(approval)
      return await ending.end(written, { status: 'waiting' }, parts)
    } catch (error) {
      return await ending.giveUp(written, { error, signal: stop.signal, parts })
    } finally {
      clearTimeout(late)
      endBeats()
      gone?.removeEventListener('abort', leave)
      changes.note(answer.sessionId)
    }
  }

  function giveUpAll(): void {
    for (const { stop } of underWay.values()) stop.abort('shutdown' satisfies GivenUp)
  }

  return {
    /** Ends the answer soon if this process writes it. */
    stop: (answerId: string): void => underWay.get(answerId)?.stop.abort('stopped' satisfies GivenUp),

    /** Writes the answer to its end, or until it waits for approvals. Throws only what came before the first part. */
    async write(writing: Writing): Promise<ChatAnswer> {
      const stop = new AbortController()
      if (performance.now() >= until) stop.abort('shutdown' satisfies GivenUp)
      // What the model has used and the sites have done is recorded, whoever may not chat any more.
      const { sessionId, id: answerId, ownerId } = writing.answer
      const work = logging({ sessionId, answerId, ownerId }, () =>
        regardless(() => tracedAnswer(tracing, writing.answer, () => carryOut(writing, stop))),
      )
      underWay.set(answerId, { stop, work })
      try {
        return await work
      } finally {
        // A process whose lease expired may have taken its own answer up again meanwhile.
        if (underWay.get(answerId)?.stop === stop) underWay.delete(answerId)
      }
    },

    /**
     * Waits for the answers under way, and gives up those that have not ended SHUTDOWN_SECONDS after the first call.
     */
    async drain(): Promise<void> {
      until = Math.min(until, performance.now() + config.shutdownSeconds * 1000)
      const patience = setTimeout(giveUpAll, until - performance.now())
      while (underWay.size > 0) await Promise.allSettled([...underWay.values()].map(({ work }) => work))
      clearTimeout(patience)
    },
  }
}
