import { pendingOfAnswers } from '../approvals/approval.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { ToolCall, isFinal } from '../tools/tool-call.ts'
import type { AnswerChanges } from './changes.ts'
import { ChatAnswer } from './chat-answer.ts'
import { readWords } from '../loop/live-words.ts'
import { Step } from '../loop/step.ts'
import { isTold } from './told-steps.ts'
import { createPartWriter, type PartWriter, type Sink } from './part-writer.ts'

/**
 * Streams an answer from its record, from its first part on and until it ends: from any process, and as often as
 * somebody asks. Clients take a resumed stream for a full replay.
 */
export function createReplay(context: { database: Database; changes: Pick<AnswerChanges, 'watch'> }) {
  const { database, changes } = context

  /** Tells what has been recorded of one step; true once it is complete and all of its calls are over. */
  async function tellStep({ answer, read }: Replayed, told: Told, parts: PartWriter): Promise<boolean> {
    const { id: subjectId, writer, takeovers: attempt } = answer
    const { step } = told
    if (parts.written() > 0 && told.attempt !== attempt) await parts.restartText()
    told.attempt = attempt
    const row = await read(() => Step.query(database).findById([subjectId, step]))
    if (!row) {
      if (writer === null) return false
      await parts.words(step, await read(() => readWords(database, { subjectId, step, attempt }, parts.written())))
      return false
    }
    if (!isTold(row)) return true
    const calls = await read(() => ToolCall.query(database).where({ subjectId, step }).orderBy('position'))
    if (!told.isStepTold) await parts.step(step, row.answer, calls)
    told.isStepTold = true
    for (const call of calls) {
      if (!isFinal(call.status) || told.outcomes.has(call.id)) continue
      told.outcomes.add(call.id)
      await parts.outcome(call)
    }
    return calls.every(({ status }) => isFinal(status))
  }

  async function tellEnd({ answer, read }: Replayed, parts: PartWriter): Promise<void> {
    if (answer.status === 'waiting') {
      for (const approval of await read(() => pendingOfAnswers(database, [answer.id]))) await parts.approval(approval)
    }
    return parts.end(answer)
  }

  /** Throws the error of an answer that failed before its first part, and the signal's reason. */
  return async (answerId: string, sink: Sink, signal: AbortSignal): Promise<void> => {
    const read: Replayed['read'] = (work) => retryWhileUnavailable(work, signal)
    const answerNow = () => ChatAnswer.query(database).findOne({ id: answerId }).throwIfNotFound()
    const first = await answerNow()
    const parts = createPartWriter(first, sink)
    const watch = changes.watch(first)
    let told = nothingTold(1)
    try {
      for (;;) {
        // Read before the steps: what is recorded of them afterwards is told next time.
        const answer = await read(answerNow)
        const replayed = { answer, read }
        while (told.step <= answer.steps + 1 && (await tellStep(replayed, told, parts))) {
          await parts.endStep()
          told = nothingTold(told.step + 1)
        }
        if (answer.status !== 'queued' && answer.status !== 'running') {
          await parts.endStep()
          return await tellEnd(replayed, parts)
        }
        await watch.changed(signal)
      }
    } finally {
      watch.close()
    }
  }
}

/** What is replayed, and how it is read: while Postgres is away, a reader waits. */
interface Replayed {
  answer: ChatAnswer
  read: <T>(work: () => PromiseLike<T>) => Promise<T>
}

/** How far a reader is. */
interface Told {
  step: number
  isStepTold: boolean
  outcomes: Set<string>
  /** How often the answer had been taken up when the step's words were told. */
  attempt: number
}

const nothingTold = (step: number): Told => ({ step, isStepTold: false, outcomes: new Set(), attempt: 0 })
