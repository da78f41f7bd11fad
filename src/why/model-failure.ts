import { later } from '../clock.ts'
import { advise, request, type Advice } from './actions.ts'
import { causeOf, moment, type Cause } from './cause.ts'
import type { Doing } from './doing.ts'
import type { Facts, HeadRun } from './facts.ts'

/** The model call of the current step has failed, and is retried, or should have been. */
export function modelFailure({ now }: Facts, head: HeadRun, { step }: Doing): Cause[] {
  const { run, failure, attempt } = head
  if (!failure || run.waitingCause || head.calls.length > 0) return []
  const isOver = attempt?.failed === true
  const pauseEnd = isOver && failure.retryAt && failure.retryAt > now ? failure.retryAt : null
  const isLate = isOver && later(failure.retryAt ?? failure.at, longestPauseSeconds) < now
  const pending = isLate ? 'has not been retried since' : 'is retried in a moment'
  const next = isOver ? pending : `was retried${attempt ? ` at ${moment(attempt.at)}` : ''}`
  const what = pauseEnd ? pauseText(head, pauseEnd) : next
  return [
    causeOf({
      code: 'MODEL_RETRY',
      runId: run.id,
      sequence: run.sequence,
      since: failure.at,
      until: pauseEnd,
      step,
      message: `The model call in step ${step} of run ${run.sequence} failed at ${moment(failure.at)} and ${what}: ${failure.message}`,
      action: actionOf(head, isLate, pauseEnd),
    }),
  ]
}

/** Unless the provider names a time, 15 s at most lie between two attempts, plus the search for a worker. */
const longestPauseSeconds = 60

/** Whether the run's minutes, which pauses between attempts count toward, are used up when the pause is over. */
const isTooLong = ({ mayWorkUntil }: HeadRun, pauseEnd: Date): boolean => mayWorkUntil < pauseEnd

const pauseText = (head: HeadRun, pauseEnd: Date): string =>
  isTooLong(head, pauseEnd)
    ? `may not be retried before ${moment(pauseEnd)}, as its provider asked; the run fails then, because this pause counts toward its minutes and uses them up`
    : `is retried at ${moment(pauseEnd)}, as its provider asked`

function actionOf(head: HeadRun, isLate: boolean, pauseEnd: Date | null): Advice {
  const { id } = head.run
  const held = advise`The operators of the platform have to look at the workflow run/${head.run} in Temporal, where its activity may be paused`
  const byItself = advise`There is nothing to do: the run fails by itself if the model fails four times`
  const hopeless = advise`Nothing can be done for it`
  const what = isLate ? held : pauseEnd && isTooLong(head, pauseEnd) ? hopeless : byItself
  return advise`${what}. To end it now: ${request('cancel', id)}.`
}
