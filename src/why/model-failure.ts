import { later } from '../clock.ts'
import { advise, request, type Advice } from './actions.ts'
import { causeOf, utcTime, type Cause } from './cause.ts'
import type { CurrentWork } from './current-work.ts'
import type { Facts, HeadRun } from './facts.ts'

/** The current step's model call has failed and is retried, or should have been. */
export function modelFailure({ now }: Facts, head: HeadRun, { step }: CurrentWork): Cause[] {
  const { run, failure, attempt } = head
  if (!failure || run.waitingCause || head.calls.length > 0) return []
  const isOver = attempt?.failed === true
  const pauseEnd = isOver && failure.retryAt && failure.retryAt > now ? failure.retryAt : null
  const isLate = isOver && !waitsForPlace(head) && later(failure.retryAt ?? failure.at, longestPauseSeconds) < now
  const what = pauseEnd
    ? `will be retried at ${utcTime(pauseEnd)}, as the AI provider requested`
    : retryText(head, step, isLate)
  return [
    causeOf({
      code: 'MODEL_RETRY',
      runId: run.id,
      sequence: run.sequence,
      since: failure.at,
      until: pauseEnd,
      step,
      message: `The model call in step ${step} of run ${run.sequence} failed at ${utcTime(failure.at)} and ${what}. ${failure.message}`,
      action: actionOf(head, isLate),
    }),
  ]
}

/** What happens next, with which of the agent's models. */
function retryText({ run, attempt }: HeadRun, step: number, isLate: boolean): string {
  const isOther = run.fallbackSince === step
  if (isLate) return 'has not been retried since'
  if (attempt?.failed) return isOther ? 'is about to be retried with the fallback model' : 'is about to be retried'
  const at = attempt ? ` at ${utcTime(attempt.at)}` : ''
  return isOther ? `was retried with the fallback model${at}` : `was retried${at}`
}

/** Whether it has found no place for its next attempt since its last progress. */
export const waitsForPlace = ({ run: { noPlaceSince, progressedAt } }: HeadRun): boolean =>
  noPlaceSince !== null && noPlaceSince >= progressedAt

/** Unless the provider names a time, attempts are at most 15 s apart, plus the search for a worker. */
const longestPauseSeconds = 60

function actionOf(head: HeadRun, isLate: boolean): Advice {
  const { id } = head.run
  const held = advise`The platform operators must check the workflow run/${head.run} in Temporal, where its activity may be paused`
  const byItself = advise`You do not need to do anything. If the model fails four times, the agent's fallback model is called. Without a fallback model, the run waits`
  return advise`${isLate ? held : byItself}. To end the run now, use ${request('cancel', id)}.`
}
