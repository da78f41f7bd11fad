import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isCoded } from '../errors.ts'
import { planAfter } from '../loop/after-failure.ts'
import type { Outages } from '../outages/outages.ts'
import type { createRecordStep } from './record-step.ts'
import type { Attempt } from './steps.ts'

/** Lets a session's fallback model go on with an answer whose own model fails. A chat does not wait for a model. */
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

  const changed = async (attempt: Attempt, model: string): Promise<Attempt> => ({
    ...attempt,
    number: attempt.number + 1,
    answer: await recordStep.changeModel(attempt.written, model),
  })

  return {
    of,

    /** The attempt; at the other model if the answer's is known to be out. While nothing is out, that costs no query. */
    async unlessOut(attempt: Attempt): Promise<Attempt> {
      if (!(await outages.of(database, attempt.answer.model))) return attempt
      const other = await of(attempt)
      return other === undefined ? attempt : changed(attempt, other)
    },

    /** The next attempt after a failed one; undefined if its failure is the answer's. */
    async after(attempt: Attempt, error: unknown): Promise<Attempt | undefined> {
      if (!isCoded(error, 'MODEL_ERROR') || attempt.signal.aborted) return undefined
      const chances = { isOut: false, isSummary: false, other: await of(attempt), rounds: null, now: clock.now() }
      const plan = planAfter(error, chances)
      return plan.kind === 'other' ? changed(attempt, plan.model) : undefined
    },
  }
}
