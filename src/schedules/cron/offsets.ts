/**
 * Zone offsets through Intl. A library would add nothing: only the offset at an instant is needed, and Intl reads it
 * from Node's zone data, which updates with Node. Date libraries also use Intl, or bundle tables that age.
 */

const minuteMs = 60_000
const dayMs = 86_400_000

/** No zone changes its offset twice in a week, so a week with equal ends has one offset. */
const probeMs = 7 * dayMs

/** Creating a formatter costs a hundred times its use. There are about 600 zone names, so no limit is needed. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formatters.get(timeZone)
  if (cached) return cached
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  const formatter = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...digits, second: '2-digit' })
  formatters.set(timeZone, formatter)
  return formatter
}

/** How far the zone's wall clock is ahead of UTC at the instant, both in milliseconds. The zone name must be valid. */
export function offsetAt(timeZone: string, at: number): number {
  const digits = formatterOf(timeZone).format(at).match(/\d+/g) ?? []
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = digits.map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000
}

/** A time span, `from` included and `to` not, in which the zone's offset is constant. In milliseconds. */
export interface Stretch {
  from: number
  to: number
  offset: number
}

/** The time between two instants as consecutive stretches. Neighbours may have the same offset. */
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

/** The first instant whose offset differs from the one at `from`. Offsets change on whole minutes. */
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

/** The span of offsets that a schedule may meet; fixed, so that the result does not change over time. */
const horizon = [Date.UTC(2026, 0, 1), Date.UTC(2041, 0, 1)] as const

/** Every offset that the zone has within the horizon, in minutes, ascending. */
export function offsetsOf(timeZone: string): number[] {
  const all = [...stretches(timeZone, ...horizon)].map(({ offset }) => offset / minuteMs)
  return [...new Set(all)].toSorted((a, b) => a - b)
}
