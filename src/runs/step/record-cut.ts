import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { isFurther, type Cuts } from '../../loop/fit.ts'
import type { Cut } from '../../loop/fit-transcript.ts'
import { lockRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import { append, type NewEvent } from '../timeline.ts'
import type { Attempt } from './attempt.ts'

/** Records a cut before it is used, so that the same step gets the same prompt after a crash. */
export const createRecordCut =
  ({ database, clock }: { database: Database; clock: Clock }) =>
  (ref: RunRef, { step }: Attempt, cut: Cut): Promise<Run> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Another attempt was faster, or has cut as much.
      if (run.steps !== step - 1 || hasEnded(run.status) || !isFurther(cut.cuts, cutsOf(run))) return run
      // No progress: the attempt at the step is still under way.
      const { progressedAt } = run
      await append(trx, run.id, clock.now(), [fittedEvent(step, cut)], { ...cut.cuts, progressedAt })
      return Object.assign(run, cut.cuts)
    })

export const cutsOf = ({ shortenedThrough, leftOutThrough }: Run): Cuts => ({
  shortenedThrough: shortenedThrough ?? 0,
  leftOutThrough: leftOutThrough ?? 0,
})

/** @param isSummarized false if the model has failed to summarize what is left out from now on */
export function fittedEvent(step: number, cut: Cut, { isSummarized = true } = {}): NewEvent {
  const { cuts, tokensBefore, tokensAfter, contextTokens } = cut
  const note = isSummarized ? noteOn(cut) : `${noteOn(cut)} The model failed to summarize them.`
  return { kind: 'context.fitted', data: { step, ...cuts, tokensBefore, tokensAfter, contextTokens, note } }
}

const noteOn = ({ cuts: { shortenedThrough, leftOutThrough }, isRefused }: Cut): string =>
  [
    isRefused
      ? "The provider rejected the prompt because it exceeded the model's context window."
      : "The run no longer fits in the model's context window.",
    ...(shortenedThrough > leftOutThrough
      ? [`From now on, long tool results through step ${shortenedThrough} are shortened in the prompt.`]
      : []),
    ...(leftOutThrough > 0 ? [`The steps through step ${leftOutThrough} are no longer in the prompt.`] : []),
  ].join(' ')
