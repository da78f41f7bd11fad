import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { afterCommit } from '../database/after-commit.ts'
import { isTransient, retryWhileUnavailable, type Database, type Transaction } from '../database/database.ts'
import { CodedError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ToolCall, isFinal } from '../tools/tool-call.ts'
import { ChatAnswer } from './chat-answer.ts'
import { closeCalls } from '../loop/close-calls.ts'
import type { Loop } from '../loop/loop.ts'
import { Step } from '../loop/step.ts'
import type { PartWriter } from './part-writer.ts'
import { goesOn, lockAnswer, LostAnswerError, release, writerHasStopped, type Written } from './writer.ts'

/** Told to readers whose process ends or was too slow. */
const continuesElsewhere = 'The answer continues on another server. Reconnect to its stream.'

/** Of an answer whose reader has left, what was done stays on record, and what was said does not. */
export const forgetWords = (trx: Transaction, answerId: string) =>
  Step.query(trx)
    .where({ subjectId: answerId })
    .whereRaw("outcome is distinct from 'summary'")
    .patch({ answer: '', content: null })

/** Records that nobody writes a locked answer any more: it waits for approval, or is over with its calls. */
export async function leaveAnswer(
  trx: Transaction,
  {
    clock,
    billing,
    loop,
    metrics,
  }: {
    clock: Clock
    billing: Pick<Billing, 'credits'>
    loop: Pick<Loop, 'settleCalls'>
    metrics: Pick<Metrics, 'chatAnswersEnded'>
  },
  { id, sessionId, number, ownerId }: ChatAnswer,
  changes: Partial<ChatAnswer>,
): Promise<ChatAnswer> {
  const isOver = changes.status !== 'waiting'
  const now = clock.now()
  if (isOver) loop.settleCalls(trx, { ownerId, calls: await closeCalls(trx, { kind: 'answer', id }, now) })
  if (changes.errorCode === 'STREAM_ABORTED') await forgetWords(trx, id)
  await billing.credits.release(trx, id)
  const times = isOver ? { endedAt: now } : { waitingSince: now }
  const answer = ChatAnswer.query(trx).findById([sessionId, number])
  await answer.clone().patch({ ...changes, ...times, writer: null, writerUntil: null })
  const left = await answer.throwIfNotFound()
  const { status, errorCode } = left
  if (isOver) afterCommit(trx, () => metrics.chatAnswersEnded.inc({ status, code: errorCode ?? '' }))
  return left
}

/** What is known of an answer that did not come to its end. */
interface Broken {
  error: unknown
  /** Whose reason says why the answer was given up, if it was. */
  signal: AbortSignal
  parts: PartWriter
}

/** Records how answers end, and tells their readers. */
export function createEnding(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'chat'>
  logger: Logger
  billing: Pick<Billing, 'credits'>
  loop: Pick<Loop, 'settleCalls'>
  metrics: Pick<Metrics, 'chatAnswersEnded'>
}) {
  const { database, config, logger } = context

  const record = (written: Written, changes: Partial<ChatAnswer>): Promise<ChatAnswer> =>
    retryWhileUnavailable(() =>
      database.transaction(async (trx) => leaveAnswer(trx, context, await lockAnswer(trx, written), changes)),
    )

  const mayGoOn = (written: Written): Promise<boolean> => retryWhileUnavailable(() => goesOn(database, written))

  function failureOf({ error, signal }: Broken): CodedError {
    if (signal.reason === 'gone') return new CodedError('STREAM_ABORTED')
    if (signal.reason === 'late') {
      const message = `The answer exceeded the time limit of ${config.chat.timeoutSeconds} seconds.`
      return new CodedError('CHAT_TIMEOUT', { message })
    }
    if (signal.reason === 'shutdown') return new CodedError('INTERNAL_ERROR', { message: writerHasStopped })
    if (error instanceof CodedError) return error
    if (!isTransient(error)) logger.error({ err: error }, 'unexpected error in a chat answer')
    return new CodedError('INTERNAL_ERROR', { cause: error })
  }

  return {
    /** The answer is over, or waits for approvals: then its stream ends, and it goes on later. */
    async end(written: Written, changes: Pick<ChatAnswer, 'status'> & { finish?: string }, parts: PartWriter) {
      const ended = await record(written, changes)
      await parts.end(ended)
      return ended
    },

    /** Throws the failure if its reader has seen nothing yet. */
    async giveUp(written: Written, broken: Broken): Promise<ChatAnswer> {
      try {
        return await endBroken(written, broken)
      } catch (error) {
        if (error instanceof LostAnswerError) return lost(written, broken.parts)
        throw error
      }
    },
  }

  async function endBroken(written: Written, broken: Broken): Promise<ChatAnswer> {
    const { error, signal, parts } = broken
    for (const reason of [error, signal.reason]) if (reason instanceof LostAnswerError) throw reason
    if (signal.reason === 'stopped') {
      const stopped = await record(written, { status: 'stopped' })
      await tellOutcomes(written, parts)
      await parts.end(stopped)
      return stopped
    }
    const isBroken = signal.reason === 'shutdown' || (!signal.aborted && isTransient(error))
    if (isBroken && (await mayGoOn(written))) return handOver(written, parts)
    const failure = failureOf(broken)
    const { code: errorCode, message: errorMessage } = failure
    const failed = await record(written, { status: 'failed', errorCode, errorMessage })
    if (signal.reason === 'gone' && parts.hasBegun()) return failed
    await tellOutcomes(written, parts)
    await parts.fail(failure)
    return failed
  }

  /** What became of the calls that were under way when the answer ended. */
  async function tellOutcomes({ id: subjectId }: Pick<Written, 'id'>, parts: PartWriter): Promise<void> {
    const ids = parts.untold()
    if (ids.length === 0) return
    const read = () => ToolCall.query(database).where({ subjectId }).whereIn('id', ids).orderBy('position')
    for (const call of await retryWhileUnavailable(read)) {
      if (isFinal(call.status)) await parts.outcome(call)
    }
  }

  /** This process ends, or could not reach Postgres: one that reaches it continues from the last recorded step. */
  async function handOver(written: Written, parts: PartWriter): Promise<ChatAnswer> {
    await retryWhileUnavailable(() => release(database, written))
    return lost(written, parts)
  }

  /** Another process has ended it or continues it; or this one has ended it, and was not told so. */
  async function lost({ id }: Written, parts: PartWriter): Promise<ChatAnswer> {
    const answer = await retryWhileUnavailable(() => ChatAnswer.query(database).findOne({ id }).throwIfNotFound())
    await tellOutcomes(answer, parts)
    if (answer.endedAt !== null || answer.status === 'waiting') await parts.end(answer)
    // Its reader has to ask for the rest: what another process writes may begin again.
    else await parts.fail(new CodedError('INTERNAL_ERROR', { message: continuesElsewhere }))
    return answer
  }
}
