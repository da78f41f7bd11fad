import type { Cron } from './cron.ts'
import { offsetAt, stretches, type Stretch } from './offsets.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Far enough for ten fires on 29 February, and for two on one that is a Sunday. */
const farthestMs = 50 * 366 * dayMs

/** More than any zone is ahead of UTC or behind it. */
const farthestOffsetMs = 16 * 3_600_000

/**
 * When the expression fires after one instant and until another (included), ascending, at most `limit` times. The
 * wall clock of the zone is matched literally: a time that the clocks jump over in spring is left out, one that comes
 * twice in autumn fires twice. The zone must be a valid name.
 */
export function firesBetween(cron: Cron, timeZone: string, after: Date, until: Date, limit: number): Date[] {
  const fires: Date[] = []
  if (limit < 1) return fires
  const from = (Math.floor(after.getTime() / minuteMs) + 1) * minuteMs
  for (const period of periods(cron, from, until.getTime() + 1)) {
    for (const stretch of stretches(timeZone, ...period)) {
      for (const fire of firesIn(cron, stretch)) {
        if (fires.push(new Date(fire)) === limit) return fires
      }
    }
  }
  return fires
}

/** The next fires after an instant: fewer than asked for if there are no more within fifty years. */
export const nextFires = (cron: Cron, timeZone: string, after: Date, count: number): Date[] =>
  firesBetween(cron, timeZone, after, new Date(after.getTime() + farthestMs), count)

/** Whether the expression fires at the instant, which must be a whole minute. */
export function isFire(cron: Cron, timeZone: string, at: Date): boolean {
  const ms = at.getTime()
  return ms % minuteMs === 0 && matchesWall(cron, ms + offsetAt(timeZone, ms))
}

/** Whether a time of a wall clock matches; given as the milliseconds that it would be in UTC. */
export function matchesWall(cron: Cron, wall: number): boolean {
  const minutes = Math.floor(wall / minuteMs)
  return (
    matchesDay(cron, wall) && cron.minute.includes(minutes % 60) && cron.hour.includes(Math.floor(minutes / 60) % 24)
  )
}

/**
 * The pieces of a time, ascending, outside of which the expression has no day in any zone: asking for the offsets of
 * fifty years would take longer than all the rest.
 */
function* periods(cron: Cron, from: number, to: number): Generator<[number, number]> {
  let start = from
  for (let month = monthOf(from - farthestOffsetMs); start < to; month = monthOf(month, 1)) {
    if (month >= to + farthestOffsetMs) return
    const days = cron.month.includes(new Date(month).getUTCMonth() + 1) ? daysIn(cron, month) : []
    const [first, last] = [days[0], days.at(-1)]
    if (first === undefined || last === undefined) continue
    const begin = Math.max(start, first - farthestOffsetMs)
    const end = Math.min(to, last + dayMs + farthestOffsetMs)
    if (begin >= end) continue
    yield [begin, end]
    start = end
  }
}

/** The beginning of a time's month, or of the one that follows after so many, as if the wall clock were in UTC. */
function monthOf(wall: number, later = 0): number {
  const date = new Date(wall)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later)
}

function daysIn(cron: Cron, month: number): number[] {
  const days: number[] = []
  const end = monthOf(month, 1)
  for (let day = month; day < end; day += dayMs) if (matchesDay(cron, day)) days.push(day)
  return days
}

/** Within a stretch the wall clock runs evenly, so everything is arithmetic. */
function* firesIn(cron: Cron, { from, to, offset }: Stretch): Generator<number> {
  const [start, end] = [from + offset, to + offset]
  for (let day = Math.floor(start / dayMs) * dayMs; day < end; day += dayMs) {
    if (!matchesDay(cron, day)) continue
    for (const hour of cron.hour) {
      for (const minute of cron.minute) {
        const wall = day + (hour * 60 + minute) * minuteMs
        if (wall >= start && wall < end) yield wall - offset
      }
    }
  }
}

function matchesDay(cron: Cron, wall: number): boolean {
  const date = new Date(wall)
  if (!cron.month.includes(date.getUTCMonth() + 1)) return false
  const [byDate, byWeekday] = [cron.dayOfMonth.includes(date.getUTCDate()), cron.dayOfWeek.includes(date.getUTCDay())]
  return cron.eitherDay ? byDate || byWeekday : byDate && byWeekday
}
