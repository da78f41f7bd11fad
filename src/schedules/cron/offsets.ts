/**
 * Offsets of zones through Intl. No library: all that is asked of one is the offset at an instant, which Intl answers
 * from the zones that come with Node and are renewed with it; date libraries ask Intl too, or bring tables that age.
 */

const minuteMs = 60_000
const dayMs = 86_400_000

/** No zone changes its offset twice within so short a time, so a week with equal ends has one offset. */
const probeMs = 7 * dayMs

/** Making a formatter costs a hundred times what using it does. There are about 600 names of zones, so no bound. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  const made = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...digits, second: '2-digit' })
  formatters.set(timeZone, made)
  return made
}

/** How far the zone's wall clock is ahead of UTC at the instant; both in milliseconds. Needs a valid name of a zone. */
export function offsetAt(timeZone: string, at: number): number {
  const digits = formatterOf(timeZone).format(at).match(/\d+/g) ?? []
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = digits.map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** A piece of time, `from` included and `to` not, in which the zone's offset does not change. In milliseconds. */
export interface Stretch {
  from: number
  to: number
  offset: number
}

/** The time between two instants, as stretches that follow each other. Neighbours may have the same offset. */
export function* stretches(timeZone: string, from: number, to: number): Generator<Stretch> {
  let start = from
  let offset = offsetAt(timeZone, start)
  while (start < to) {
    const end = Math.min(start + probeMs, to)
    const next = offsetAt(timeZone, end)
    const change = next === offset ? end : findChange(timeZone, start, end)
    yield { from: start, to: change, offset }
    if (change < end) yield { from: change, to: end, offset: next }
    start = end
    offset = next
  }
}

/** The first instant at which the offset is no longer the one at `from`. Offsets change on whole minutes. */
function findChange(timeZone: string, from: number, to: number): number {
  const before = offsetAt(timeZone, from)
  let [low, high] = [Math.floor(from / minuteMs), Math.ceil(to / minuteMs)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(timeZone, middle * minuteMs) === before) low = middle
    else high = middle
  }
  return high * minuteMs
}

/** The first and the last year whose offsets a schedule may meet; fixed, so that the answer does not change with time. */
const horizon = [Date.UTC(2026, 0, 1), Date.UTC(2041, 0, 1)] as const

/** Every offset that the zone has in the years to come, in minutes, ascending. */
export function offsetsOf(timeZone: string): number[] {
  const all = [...stretches(timeZone, ...horizon)].map(({ offset }) => offset / minuteMs)
  return [...new Set(all)].toSorted((a, b) => a - b)
}
