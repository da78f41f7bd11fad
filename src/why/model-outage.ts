import { advise, request } from './actions.ts'
import { causeOf, utcTime, nextCheck, ongoing, type Cause } from './cause.ts'
import type { Facts, HeadRun } from './facts.ts'

/** The run waits for its model, which is out for everybody, or has failed this run several times in a row. */
export function modelOutage(facts: Facts, { run, outage, failure, mayWaitForModelUntil }: HeadRun): Cause[] {
  const { waitingCause, waitingFor: model, waitingSince, modelRetryAt, id: runId, sequence } = run
  if (waitingCause !== 'model') return []
  const isOver = outage === null && (modelRetryAt === null || modelRetryAt <= facts.now)
  if (isOver) return []
  const waits = `Run ${sequence} ${ongoing(`waiting for the AI model ${model}`, waitingSince)}`
  const until = nextCheck(facts, outage?.nextProbeAt ?? modelRetryAt ?? facts.now)
  const what = outage
    ? `The model has been unavailable since ${utcTime(outage.beganAt)}. ${outage.message} The next attempt will be at about ${utcTime(until)}.`
    : `${failure?.message ?? 'The model is failing.'} The run will try again at ${utcTime(until)}.`
  const end = mayWaitForModelUntil
    ? ` If the model is still unavailable at ${utcTime(mayWaitForModelUntil)}, the run will fail, and the agent and its queue will be paused.`
    : ''
  return [
    causeOf({
      code: 'MODEL_UNAVAILABLE',
      runId,
      sequence,
      since: outage?.beganAt ?? waitingSince,
      until,
      step: run.steps + 1,
      message: `${waits}. ${what}${end}`,
      action: advise`You do not need to do anything. The run continues automatically when the model is available, and the platform operators can see the problem. To abandon the run, use ${request('skip', runId)}.`,
    }),
  ]
}
