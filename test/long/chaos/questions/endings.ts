import type { Evidence } from '../evidence.ts'
import type { AnswerRow, RunRow } from '../rows.ts'

export function findEndless({ runs, answers, calls }: Evidence): string[] {
  return [
    ...runs.filter(({ endedAt }) => endedAt === null).map(({ id, status }) => `the run ${id} is ${status}`),
    ...answers.filter(({ endedAt }) => endedAt === null).map(({ id, status }) => `the answer ${id} is ${status}`),
    ...calls
      .filter(({ status }) => status === 'started' || status === 'planned')
      .map(({ id, status }) => `the call ${id} is ${status}`),
  ]
}

/** Runs and answers that did not come to their end, although every blow passes and nobody stopped them. */
export function findFailed({ runs, answers, cappedAgentId }: Evidence): string[] {
  return [
    ...runs
      .filter((run) => run.endedAt !== null && run.agentId !== cappedAgentId && !isWell(run))
      .map(({ id, status, reason }) => `the run ${id} is ${status}: ${reason}`),
    ...answers
      .filter((answer) => answer.endedAt !== null && !mayEndSo(answer))
      .map(({ id, status, errorCode }) => `the answer ${id} is ${status}: ${errorCode}`),
  ]
}

/** A fire that overlaps has a run that was skipped; whether it did is looked at with the fires. */
const isWell = ({ status, reason }: RunRow): boolean =>
  status === 'completed' || (status === 'skipped' && reason === 'OVERLAP')

/** An answer that ends with its reader's connection, which blows break. It is sent again. */
const mayEndSo = ({ status, errorCode, onDisconnect }: AnswerRow): boolean =>
  status === 'completed' || (errorCode === 'STREAM_ABORTED' && onDisconnect === 'cancel')
