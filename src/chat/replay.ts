import { setTimeout as delay } from 'node:timers/promises'
import { Approval } from '../approvals/approval.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { ChatToolCall, isFinal } from '../tools/tool-call.ts'
import { ChatAnswer } from './chat-answer.ts'
import { ChatStep, isTold } from './chat-step.ts'
import { createPartWriter, errorOf, type PartWriter, type Sink } from './part-writer.ts'
import type { ChatWords } from './words.ts'

/** How often the record of an answer under way is looked at, in milliseconds. */
const pollMs = 100

/**
 * Streams an answer from its record, from its first part on and until it ends: from any process, and as often as
 * somebody asks. Clients take a resumed stream for a full replay.
 */
export function createReplay({ database, words }: { database: Database; words: ChatWords }) {
  /** Tells what has been recorded of one step; true once it is complete and all of its calls are over. */
  async function tellStep({ id: answerId, read }: Replayed, told: Told, parts: PartWriter): Promise<boolean> {
    const { step } = told
    const row = await read(() => ChatStep.query(database).findById([answerId, step]))
    if (!row) {
      await parts.words(step, await read(() => words.read(answerId, step, parts.written())))
      return false
    }
    if (!isTold(row)) return true
    const calls = await read(() => ChatToolCall.query(database).where({ answerId, step }).orderBy('position'))
    if (!told.isStepTold) await parts.step(step, row.answer, calls)
    told.isStepTold = true
    for (const call of calls) {
      if (!isFinal(call.status) || told.outcomes.has(call.id)) continue
      told.outcomes.add(call.id)
      await parts.outcome(call)
    }
    return calls.every(({ status }) => isFinal(status))
  }

  async function tellEnd({ read }: Replayed, answer: ChatAnswer, parts: PartWriter): Promise<void> {
    const { id, status } = answer
    if (status === 'stopped') return parts.abort()
    if (status === 'failed') {
      if (!parts.hasBegun()) throw errorOf(answer)
      return parts.fail(errorOf(answer))
    }
    if (status === 'waiting') {
      const pending = await read(() =>
        Approval.query(database).where({ answerId: id, status: 'pending' }).orderBy('id'),
      )
      for (const approval of pending) await parts.approval(approval)
    }
    return parts.finish(answer)
  }

  /** Throws the error of an answer that failed before its first part, and the signal's reason. */
  return async (answerId: string, sink: Sink, signal: AbortSignal): Promise<void> => {
    const replayed: Replayed = { id: answerId, read: (work) => retryWhileUnavailable(work, signal) }
    const answerNow = () => ChatAnswer.query(database).findOne({ id: answerId }).throwIfNotFound()
    const first = await answerNow()
    const parts = createPartWriter(first, sink)
    let told: Told = { step: 1, isStepTold: false, outcomes: new Set() }
    for (;;) {
      // Read before the steps: what is recorded of them afterwards is told next time.
      const answer = await replayed.read(answerNow)
      while (told.step <= answer.steps + 1 && (await tellStep(replayed, told, parts))) {
        await parts.endStep()
        told = { step: told.step + 1, isStepTold: false, outcomes: new Set() }
      }
      if (answer.status !== 'queued' && answer.status !== 'running') {
        await parts.endStep()
        return tellEnd(replayed, answer, parts)
      }
      await delay(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

/** What is replayed, and how it is read: while Postgres is away, a reader waits. */
interface Replayed {
  id: string
  read: <T>(work: () => PromiseLike<T>) => Promise<T>
}

/** How far a reader is. */
interface Told {
  step: number
  isStepTold: boolean
  outcomes: Set<string>
}
