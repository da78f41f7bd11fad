import type { Evidence, Receipt } from '../evidence.ts'
import type { RunRow } from '../rows.ts'
import { isLateByRoad } from './late.ts'

/** Runs of one agent, or their calls as sites saw them, in another order than that of their numbers. */
export function findReordered(evidence: Evidence): string[] {
  const { runs, receipts, calls, arrivals, blows } = evidence
  const came = Map.groupBy(arrivals, ({ key }) => key)
  const sent = Map.groupBy(calls, ({ subjectId }) => subjectId)
  const seen = ({ id }: RunRow): number[] =>
    (sent.get(id) ?? []).flatMap((call) =>
      (came.get(call.key) ?? []).filter((one) => !isLateByRoad(call, one, blows)).map(({ at }) => at),
    )
  return [
    ...byAgent(runs).flatMap((own) => own.slice(1).flatMap((run, index) => inTurn(own[index] ?? run, run))),
    ...byAgent(runs).flatMap((own) => inOrderAtSites(own, seen)),
    ...[...Map.groupBy(receipts, ({ agentId }) => agentId).values()].flatMap(inOrderOfArrival),
  ]
}

const byAgent = (runs: RunRow[]): RunRow[][] =>
  [...Map.groupBy(runs, ({ agentId }) => agentId).values()].map((own) =>
    own.toSorted((one, other) => one.sequence - other.sequence),
  )

function inTurn(before: RunRow, run: RunRow): string[] {
  if (run.startedAt === null) return []
  if (run.sequence !== before.sequence + 1)
    return [`the run ${run.id} is number ${run.sequence} after ${before.sequence}`]
  // A run that was cancelled or skipped while it was queued never started.
  return before.endedAt === null || run.startedAt < before.endedAt
    ? [`the run ${run.id} began before ${before.id} had ended`]
    : []
}

function inOrderAtSites(own: RunRow[], seen: (run: RunRow) => number[]): string[] {
  let latest = { at: 0, id: '' }
  return own.flatMap((run) => {
    const arrived = seen(run)
    const before = latest
    if (arrived.length > 0 && Math.max(...arrived) > latest.at) latest = { at: Math.max(...arrived), id: run.id }
    return arrived.length > 0 && Math.min(...arrived) < before.at
      ? [`a site saw a call of the run ${run.id} before one of ${before.id}`]
      : []
  })
}

/** A delivery that was sent after the receipt of another has the higher number. */
function inOrderOfArrival(receipts: Receipt[]): string[] {
  let latest = 0
  return receipts
    .toSorted((one, other) => one.sequence - other.sequence)
    .flatMap(({ key, from, until }) => {
      const isEarly = until < latest
      latest = Math.max(latest, from)
      return isEarly ? [`the delivery ${key} has a higher number than one that was sent after its receipt`] : []
    })
}
