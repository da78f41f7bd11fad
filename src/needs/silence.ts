import { quotedName } from '../names.ts'
import { advise, request } from '../why/actions.ts'
import { utcTime } from '../why/cause.ts'
import { needOf, type Need } from './need.ts'

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs

/** An agent is silent after so many usual hours without a delivery, or usual hours on so many days (UTC). */
const mostHours = 5
const mostDays = 3

/** No silence is shorter, in hours. */
export const shortestSilence = mostHours

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
 * The usual hours that passed without a delivery, counted from 1970; none if the agent is not expected to get any. An
 * hour is usual if deliveries arrived at the same time of the week both one and two weeks before. So an agent needs two
 * weeks of history.
 *
 * Nights and weekends need no rule of their own: hours that never have deliveries are not usual. An average or a longest
 * gap would count them, and would take days to notice on a Monday morning that deliveries stopped. Bursts count once,
 * because an hour counts once. A daily delivery has one usual hour a day, so three days are enough. At random times,
 * deliveries cause at most about two false alarms a year, at the worst rate of one an hour.
 */
export function missedHours({ now, lastAt, oneWeekBefore, twoWeeksBefore }: Deliveries): number[] {
  if (now.getTime() - lastAt.getTime() > longestSilenceDays * 24 * hourMs) return []
  const first = Math.ceil(lastAt.getTime() / hourMs)
  const next = Math.floor(now.getTime() / hourMs)
  const before = hoursAfter(twoWeeksBefore, 2)
  return [...hoursAfter(oneWeekBefore, 1)].filter((hour) => before.has(hour) && hour >= first && hour < next)
}

/** The same hours, the given number of weeks later. */
const hoursAfter = (times: readonly Date[], weeks: number): Set<number> =>
  new Set(times.map((at) => Math.floor((at.getTime() + weeks * weekMs) / hourMs)))

export function isSilent(deliveries: Deliveries): boolean {
  const hours = missedHours(deliveries)
  return hours.length >= mostHours || new Set(hours.map((hour) => Math.floor(hour / 24))).size >= mostDays
}

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
      count: missedHours(deliveries).length,
    }),
  ]
}
