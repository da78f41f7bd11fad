import { quotedName } from '../names.ts'
import { advise, request } from '../why/actions.ts'
import { utcTime } from '../why/cause.ts'
import { needOf, type Need } from './need.ts'

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs

/** An agent is silent after so many usual hours without a delivery. */
export const usualHours = 3

/** An agent without deliveries for longer is no longer expected to get any. */
export const longestSilenceDays = 14

/** When an agent got deliveries. */
export interface Deliveries {
  now: Date
  /** The latest delivery. Since then it is quiet. */
  lastAt: Date
  /** Times of deliveries one and two weeks before the quiet time: one in each hour that had any is enough. */
  oneWeekBefore: readonly Date[]
  twoWeeksBefore: readonly Date[]
}

/**
 * The usual hours that passed without a delivery; 0 if the agent is not expected to get any. An hour is usual if
 * deliveries arrived at the same time of the week both one and two weeks before.
 *
 * Nights and weekends need no rule of their own: hours that never have deliveries are not usual. An average or a longest
 * gap would count them, and would take days to notice on a Monday morning that deliveries stopped. Bursts count once,
 * because an hour counts once. For deliveries at random times, three usual hours are at least seven times the average
 * gap, so a false alarm is rare (less than one in a thousand). An agent needs two weeks of history.
 */
export function missedHours({ now, lastAt, oneWeekBefore, twoWeeksBefore }: Deliveries): number {
  if (now.getTime() - lastAt.getTime() > longestSilenceDays * 24 * hourMs) return 0
  const first = Math.ceil(lastAt.getTime() / hourMs)
  const next = Math.floor(now.getTime() / hourMs)
  const before = hoursAfter(twoWeeksBefore, 2)
  return [...hoursAfter(oneWeekBefore, 1)].filter((hour) => before.has(hour) && hour >= first && hour < next).length
}

/** The same hours, the given number of weeks later. */
const hoursAfter = (times: readonly Date[], weeks: number): Set<number> =>
  new Set(times.map((at) => Math.floor((at.getTime() + weeks * weekMs) / hourMs)))

export const isSilent = (deliveries: Deliveries): boolean => missedHours(deliveries) >= usualHours

/** The item of a silent agent; none if it is not silent. */
export function silentNeeds({ id, name }: { id: string; name: string }, deliveries: Deliveries): Need[] {
  if (!isSilent(deliveries)) return []
  const { lastAt: since } = deliveries
  return [
    needOf({
      kind: 'silent',
      since,
      message: `${quotedName(name)} has received no delivery since ${utcTime(since)}. In both previous weeks, deliveries arrived at this time.`,
      action: advise`Check that the sender still sends its deliveries. To test the agent, use ${request('deliver', id)}.`,
      agentId: id,
      agentName: name,
      count: missedHours(deliveries),
    }),
  ]
}
