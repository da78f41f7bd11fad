import type { Outcome } from './outcome.ts'
import type { PlannedCall } from './plan.ts'
import type { Sent } from './proxy.ts'

/** What the servers and the proxies saw of one client. */
export interface Seen {
  sent: Sent[]
  /** How many times the counter ran, by mark. */
  executions: ReadonlyMap<string, number>
}

const marksOf = (all: { mark: string }[]): Map<string, number> =>
  new Map([...Map.groupBy(all, ({ mark }) => mark)].map(([mark, some]) => [mark, some.length]))

const twice = (counts: ReadonlyMap<string, number>): string[] =>
  [...counts].filter(([, count]) => count > 1).map(([mark]) => mark)

/** The calls that reached a server more than once, and the ids that were counted more than once. */
export const doubled = ({ sent, executions }: Seen) => ({
  sent: twice(marksOf(sent)),
  executed: twice(executions),
})

/** What is not as it must be, in words: nothing if all is well. Every tool here has the effect `once`. */
export function faultsOf(plan: PlannedCall[], outcomes: Outcome[], seen: Seen): string[] {
  const sent = marksOf(seen.sent)
  const known = new Map(outcomes.map((one) => [one.mark, one]))
  const { sent: sentTwice, executed } = doubled(seen)
  return [
    ...sentTwice.map((mark) => `${mark} was sent ${sent.get(mark)} times, as ${idsOf(seen.sent, mark)}`),
    ...executed.map((mark) => `${mark} was executed ${seen.executions.get(mark)} times`),
    ...plan.filter(({ mark }) => !known.has(mark)).map(({ mark }) => `${mark} has no outcome`),
    ...twice(marksOf(outcomes)).map((mark) => `${mark} has two outcomes`),
    ...outcomes.flatMap((one) => contradictionsOf(one, sent.get(one.mark) ?? 0, seen.executions.get(one.mark) ?? 0)),
  ]
}

/** The ids of the JSON-RPC requests, which tell one client's repetition from another client's. */
const idsOf = (sent: Sent[], mark: string): string =>
  sent
    .filter((one) => one.mark === mark)
    .map(({ tool, id }) => `${tool} ${String(id)}`)
    .join(' and ')

/** An outcome against the proxies' logs. A call in doubt may have been sent or not. */
function contradictionsOf({ mark, status, at }: Outcome, sent: number, executed: number): string[] {
  if (status === 'succeeded' && sent === 0) return [`${mark} succeeded, but was never sent (${at})`]
  if (status === 'failed' && executed > 0) return [`${mark} did nothing, it says, but was executed (${at})`]
  return []
}
