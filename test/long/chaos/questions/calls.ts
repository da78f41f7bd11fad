import type { Arrival, Evidence } from '../evidence.ts'
import type { CallRow } from '../rows.ts'
import { isLate, isLateByRoad } from './late.ts'

/** The process of the sites shares its cores with the cluster, and may be this late to look at what has come. */
const lagMs = 1000

const byKey = (arrivals: Arrival[]): Map<string, Arrival[]> => Map.groupBy(arrivals, ({ key }) => key)

export function findRepeatedOnce({ calls, arrivals }: Evidence): string[] {
  const came = byKey(arrivals)
  return calls
    .filter(({ effect, key }) => effect === 'once' && (came.get(key)?.length ?? 0) > 1)
    .map(({ id, key, tool }) => `the call ${id} of ${tool} came ${came.get(key)?.length} times, as ${key}`)
}

export function findUnseen({ calls, arrivals }: Evidence): string[] {
  const came = byKey(arrivals)
  return calls
    .filter(({ status, key }) => status === 'succeeded' && !came.has(key))
    .map(({ id, key, tool }) => `the call ${id} of ${tool} succeeded, and its site never saw ${key}`)
}

/** What came to a site although the record did not say, at that time, that it is sent. */
export function findNotToBeSent({ calls, arrivals, blows }: Evidence): string[] {
  const recorded = new Map(calls.map((call) => [call.key, call]))
  return [...byKey(arrivals)].flatMap(([key, came]) => {
    const call = recorded.get(key)
    if (!call || call.attempts === 0) return [`${key} came to ${came[0]?.site}, and no call was begun as that`]
    const late = came.filter((one) => isLate(call, one.at - lagMs) && !isLateByRoad(call, one, blows))
    return [
      ...(came.length > call.attempts ? [`${key} came ${came.length} times, of ${call.attempts} begun`] : []),
      ...(isEarly(call, came) ? [`${key} came before its call was begun`] : []),
      ...late.map(({ at }) => `${key} came ${at - (call.endedAt ?? at)} ms after its call had ended`),
    ]
  })
}

/** Of a call that began more than once, the record has the time of the last. */
const isEarly = ({ attempts, startedAt }: CallRow, came: Arrival[]): boolean =>
  attempts === 1 && startedAt !== null && came.some(({ at }) => at < Math.floor(startedAt))
