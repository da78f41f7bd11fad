import { advise, request } from './actions.ts'
import { causeOf, moment, nextLook, ongoing, type Cause } from './cause.ts'
import type { Facts, HeadRun } from './facts.ts'

/** The run waits for its model, which is out for everybody, or has failed this run several times in a row. */
export function modelOutage(facts: Facts, { run, outage, failure, mayWaitForModelUntil }: HeadRun): Cause[] {
  const { waitingCause, waitingFor: model, waitingSince, modelRetryAt, id: runId, sequence } = run
  if (waitingCause !== 'model') return []
  const isOver = outage === null && (modelRetryAt === null || modelRetryAt <= facts.now)
  if (isOver) return []
  const waits = `Run ${sequence} ${ongoing(`waiting for the AI model ${model}`, waitingSince)}`
  const until = nextLook(facts, outage?.nextProbeAt ?? modelRetryAt ?? facts.now)
  const what = outage
    ? `, which cannot be used since ${moment(outage.beganAt)}. ${outage.message} The model is asked again at about ${moment(until)}`
    : `. ${failure?.message ?? 'It fails.'} The run asks it again at ${moment(until)}`
  const end = mayWaitForModelUntil
    ? `; if it cannot be used until ${moment(mayWaitForModelUntil)}, the run fails, and its agent is paused with its queue`
    : ''
  return [
    causeOf({
      code: 'MODEL_UNAVAILABLE',
      runId,
      sequence,
      since: outage?.beganAt ?? waitingSince,
      until,
      step: run.steps + 1,
      message: `${waits}${what}${end}.`,
      action: advise`There is nothing to do: the run continues by itself when the model answers; the operators of the platform see what is wrong. To give it up: ${request('skip', runId)}.`,
    }),
  ]
}
