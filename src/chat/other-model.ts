import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isCoded } from '../errors.ts'
import { planAfter } from '../loop/after-failure.ts'
import type { Outages } from '../outages/outages.ts'
import type { createRecordStep } from './record-step.ts'
import { otherModelOf, type Attempt } from './attempt.ts'
import { ChatAnswer } from './chat-answer.ts'

/**
 * Lets an answer go on whose model fails: with the session's fallback model, or without the summary that was asked for. A
 * chat does not wait for a model.
 */
export function createOtherModel(context: {
  database: Database
  clock: Clock
  outages: Pick<Outages, 'of'>
  recordStep: Pick<ReturnType<typeof createRecordStep>, 'changeModel'>
}) {
  const { database, clock, outages, recordStep } = context

  /** The answer with what it has used by now. */
  const current = ({ answer: { id } }: Attempt) => ChatAnswer.query(database).findOne({ id }).throwIfNotFound()

  const changed = async (attempt: Attempt, model: string): Promise<Attempt> => ({
    ...attempt,
    answer: await recordStep.changeModel(attempt.written, model),
  })

  return {
    /** The attempt; at the other model if the answer's is known to be out. While nothing is out, that costs no query. */
    async unlessOut(attempt: Attempt): Promise<Attempt> {
      if (!(await outages.of(database, attempt.answer.model))) return attempt
      const other = await otherModelOf(outages, database, attempt)
      return other === undefined ? attempt : changed(attempt, other)
    },

    /** The next attempt after a failed one; undefined if its failure is the answer's. */
    async after(attempt: Attempt, error: unknown): Promise<Attempt | undefined> {
      const { signal, progress } = attempt
      // Words cannot be taken back from the stream.
      if (!isCoded(error, 'MODEL_ERROR') || signal.aborted || progress.said !== '') return undefined
      const isSummary = progress.isSummary && attempt.summarizes
      const plan = planAfter(error, {
        isOut: false,
        isSummary,
        other: await otherModelOf(outages, database, attempt),
        rounds: null,
        now: clock.now(),
      })
      if (plan.kind === 'cut') return { ...attempt, summarizes: false, answer: await current(attempt) }
      return plan.kind === 'other' ? changed(attempt, plan.model) : undefined
    },
  }
}
