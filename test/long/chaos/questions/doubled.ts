import type { Evidence, Receipt } from '../evidence.ts'
import { repeats } from './counting.ts'

export function findDoubled({ runs, receipts, answers, calls, steps, fires }: Evidence): string[] {
  const keyed = runs.filter(({ key }) => key !== null)
  return [
    ...repeats(keyed, ({ agentId, key }) => `${agentId} ${key}`).map((of) => `the delivery ${of} has two runs`),
    ...repeats(distinct(receipts), ({ agentId, key }) => `${agentId} ${key}`).map((of) => `${of} has two receipts`),
    ...repeats(
      // One whose reader disconnected or that failed is answered anew when it is sent again.
      answers.filter(({ clientId, status }) => clientId !== null && status !== 'failed'),
      ({ clientId }) => String(clientId),
    ).map((id) => `the message ${id} has two answers`),
    ...repeats(calls, ({ id }) => id).map((id) => `the call ${id} is recorded twice`),
    ...repeats(calls, ({ key }) => key).map((key) => `two calls were sent as ${key}`),
    ...repeats(steps, ({ subjectId, step }) => `${subjectId} ${step}`).map((of) => `the step ${of} is recorded twice`),
    ...repeats(
      fires.filter(({ runId }) => runId !== null),
      ({ runId }) => String(runId),
    ).map((id) => `two fires have the run ${id}`),
  ]
}

/** One receipt for each run that a sender was told. */
const distinct = (receipts: Receipt[]): Receipt[] => [
  ...new Map(receipts.map((receipt) => [`${receipt.agentId} ${receipt.key} ${receipt.runId}`, receipt])).values(),
]
