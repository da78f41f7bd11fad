import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isCoded } from '../errors.ts'
import { planAfter } from '../loop/after-failure.ts'
import type { JudgedAnswer } from '../loop/ask.ts'
import { isGivenUp, maxCorrections } from '../loop/judge-answer.ts'
import type { Outages } from '../outages/outages.ts'
import type { createRecordStep } from './record-step.ts'
import type { Attempt } from './attempt.ts'
import { ChatAnswer } from './chat-answer.ts'
import { Step } from '../loop/step.ts'

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

  /** The model that may be asked instead of the answer's; undefined if there is none, or if it is out. */
  async function of({ session, answer }: Pick<Attempt, 'session' | 'answer'>): Promise<string | undefined> {
    const { fallbackModel } = session
    if (fallbackModel === null || fallbackModel === answer.model) return undefined
    return (await outages.of(database, fallbackModel)) ? undefined : fallbackModel
  }

  /** The answer with what it has used by now. */
  const current = ({ answer: { id } }: Attempt) => ChatAnswer.query(database).findOne({ id }).throwIfNotFound()

  const changed = async (attempt: Attempt, model: string): Promise<Attempt> => ({
    ...attempt,
    answer: await recordStep.changeModel(attempt.written, model),
  })

  /** How often in a row the model was asked to correct itself before this step. */
  async function correctionsBefore({ id: subjectId, model }: ChatAnswer): Promise<number> {
    const rows = await Step.query(database).where({ subjectId }).orderBy('step', 'desc').limit(maxCorrections)
    const first = rows.findIndex((row) => row.outcome === null || row.outcome === 'summary' || row.model !== model)
    return first < 0 ? rows.length : first
  }

  return {
    /** The attempt; at the other model if the answer's is known to be out. While nothing is out, that costs no query. */
    async unlessOut(attempt: Attempt): Promise<Attempt> {
      if (!(await outages.of(database, attempt.answer.model))) return attempt
      const other = await of(attempt)
      return other === undefined ? attempt : changed(attempt, other)
    },

    /** The next attempt after a failed one; undefined if its failure is the answer's. */
    async after(attempt: Attempt, error: unknown): Promise<Attempt | undefined> {
      const { signal, progress } = attempt
      // Words cannot be taken back from the stream.
      if (!isCoded(error, 'MODEL_ERROR') || signal.aborted || progress.hasSpoken) return undefined
      const isSummary = progress.isSummary && attempt.summarizes
      const plan = planAfter(error, {
        isOut: false,
        isSummary,
        other: await of(attempt),
        rounds: null,
        now: clock.now(),
      })
      if (plan.kind === 'cut') return { ...attempt, summarizes: false, answer: await current(attempt) }
      return plan.kind === 'other' ? changed(attempt, plan.model) : undefined
    },

    /** What follows a rejected answer: the model is asked to correct it, or the other one is asked, or that was all. */
    async followUp(attempt: Attempt, { verdict }: JudgedAnswer): Promise<{ goesOn: boolean; other?: string }> {
      if (!verdict) return { goesOn: attempt.progress.isSummary }
      if (!isGivenUp(verdict.outcome, 1 + (await correctionsBefore(attempt.answer)))) return { goesOn: true }
      const other = await of(attempt)
      return other === undefined ? { goesOn: false } : { goesOn: true, other }
    },
  }
}
