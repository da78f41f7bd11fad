import type { Accepted, Evidence } from '../evidence.ts'
import type { FireRow, RunRow } from '../rows.ts'

/** What a sender was told, or a schedule demands, and the record does not have. */
export const findLost = (evidence: Evidence): string[] => [
  ...lostDeliveries(evidence),
  ...lostRequests(evidence),
  ...lostMessages(evidence),
  ...lostFires(evidence),
]

/** A 202 without a run, or with another run than the record has under its key. */
function lostDeliveries({ receipts, runs }: Evidence): string[] {
  const known = new Map(runs.map((run) => [run.id, run]))
  return receipts.flatMap(({ runId, agentId, key, sequence }) => {
    const run = known.get(runId)
    if (!run) return [`the delivery ${key} was accepted as the run ${runId}, which does not exist`]
    const fits = run.agentId === agentId && run.sequence === sequence && run.key === key
    return fits ? [] : [`the receipt of the delivery ${key} does not say what its run ${runId} does`]
  })
}

function lostRequests({ accepted, calls, approvals, payments }: Evidence): string[] {
  const direct = new Map(calls.filter(({ subjectId }) => subjectId === null).map((call) => [call.id, call.status]))
  const decided = new Map(approvals.map(({ id, status }) => [id, status]))
  const paid = new Map(payments.map(({ id, requestKey, status }) => [`${id} ${requestKey}`, status]))
  const has = ({ what, id, status, key }: Accepted): boolean => {
    if (what === 'direct call') return direct.get(id) === 'succeeded'
    return what === 'decision' ? decided.get(id) === status : paid.get(`${id} ${key}`) === 'paid'
  }
  return accepted
    .filter((one) => !has(one))
    .map(({ what, id }) => `the ${what} ${id} was answered, and is not recorded`)
}

function lostMessages({ messages, answers }: Evidence): string[] {
  const completed = new Set(answers.filter(({ status }) => status === 'completed').map(({ clientId }) => clientId))
  return messages.filter((id) => !completed.has(id)).map((id) => `the message ${id} was answered, and has no answer`)
}

const minuteMs = 60_000

/** Each minute has a fire that ran, unless the run before it was still under way. */
function lostFires({ schedules, fires, runs }: Evidence): string[] {
  const known = new Map(fires.map((fire) => [`${fire.agentId} ${fire.nominalAt}`, fire]))
  const byId = new Map(runs.map((run) => [run.id, run]))
  return schedules.flatMap(({ agentId, from, until }) =>
    minutesBetween(from, until).flatMap((at) => {
      const fire = known.get(`${agentId} ${at}`)
      const problem = fire ? problemOf(fire, byId, runs) : 'is not recorded'
      return problem ? [`the fire of ${agentId} at ${new Date(at).toISOString()} ${problem}`] : []
    }),
  )
}

function problemOf(fire: FireRow, byId: Map<string, RunRow>, runs: RunRow[]): string | undefined {
  const run = byId.get(fire.runId ?? '')
  if (fire.outcome === 'ran') return run ? undefined : 'has no run'
  const isOverlap =
    fire.reason === 'OVERLAP' &&
    runs.some(
      ({ id, agentId, status, startedAt, endedAt }) =>
        agentId === fire.agentId &&
        id !== fire.runId &&
        status !== 'skipped' &&
        (startedAt ?? Infinity) < (run?.endedAt ?? Infinity) &&
        (endedAt ?? Infinity) >= fire.nominalAt,
    )
  return isOverlap ? undefined : `was ${fire.outcome} (${fire.reason})`
}

function minutesBetween(from: number, until: number): number[] {
  const first = Math.ceil(from / minuteMs)
  return Array.from({ length: Math.max(0, Math.floor(until / minuteMs) - first + 1) }, (_, n) => (first + n) * minuteMs)
}
