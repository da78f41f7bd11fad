import { causeOf, later, moment, sinceThen, type Cause } from './cause.ts'
import type { Doing } from './doing.ts'
import type { Facts, HeadRun } from './facts.ts'

/** The model call of the present step has failed, and is made again, or should have been. */
export function modelFailure({ now }: Facts, head: HeadRun, { step }: Doing): Cause[] {
  const { run, failure, attempt } = head
  if (!failure || run.waitingCause || head.calls.length > 0) return []
  const isOver = attempt?.failed === true
  const pauseEnd = isOver && failure.retryAt && failure.retryAt > now ? failure.retryAt : null
  const isLate = isOver && later(failure.retryAt ?? failure.at, longestPauseSeconds) < now
  const soon = isLate ? 'has not been asked again since' : 'is asked again in a moment'
  const next = isOver ? soon : `is asked again${sinceThen(attempt?.at ?? null)}`
  const what = pauseEnd ? pauseText(head, pauseEnd) : next
  return [
    causeOf({
      code: 'MODEL_RETRY',
      runId: run.id,
      sequence: run.sequence,
      since: failure.at,
      until: pauseEnd,
      step,
      message: `The model failed in step ${step} of run ${run.sequence} at ${moment(failure.at)} and ${what}: ${failure.message}`,
      action: actionOf(head, isLate, pauseEnd),
    }),
  ]
}

/** Where nobody has named a time there are 15 s at most between two attempts; a worker may be looked for besides. */
const longestPauseSeconds = 60

/** Whether the run's minutes, which pauses between attempts count toward, are used up when the pause is over. */
const isTooLong = ({ mayWorkUntil }: HeadRun, pauseEnd: Date): boolean => mayWorkUntil < pauseEnd

const pauseText = (head: HeadRun, pauseEnd: Date): string =>
  isTooLong(head, pauseEnd)
    ? `its provider has asked for no call before ${moment(pauseEnd)}, when the run fails, because this pause counts toward its minutes and they are used up by then`
    : `is asked again at ${moment(pauseEnd)}, as its provider has asked for`

function actionOf(head: HeadRun, isLate: boolean, pauseEnd: Date | null): string {
  const { id } = head.run
  const held = `The operators of the platform have to look at the workflow run/${id} in Temporal, where its activity may be paused`
  const byItself = 'Nothing has to be done: the run fails by itself if the model fails four times'
  const hopeless = 'Nothing can be done for it'
  const what = isLate ? held : pauseEnd && isTooLong(head, pauseEnd) ? hopeless : byItself
  return `${what}; end it now with POST /runs/${id}/cancel.`
}
