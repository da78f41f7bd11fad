import type { Cron } from './cron.ts'
import { offsetAt, stretches, type Stretch } from './offsets.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

/** Enough for ten fires on 29 February, or two on one that is a Sunday. */
const horizonMs = 50 * 366 * dayMs

/** More than any zone's distance from UTC. */
const maxOffsetMs = 16 * 3_600_000

/**
 * The fires after `after` and up to `until` (included), ascending, at most `limit`. Expressions match the zone's wall
 * clock literally: a time skipped in spring does not fire, and a time repeated in autumn fires twice. The zone name
 * must be valid.
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

/** The next fires after an instant; fewer than requested if the next fifty years have fewer. */
export const nextFires = (cron: Cron, timeZone: string, after: Date, count: number): Date[] =>
  firesBetween(cron, timeZone, after, new Date(after.getTime() + horizonMs), count)

/** Whether the expression fires at the instant, which must be a whole minute. */
export function isFire(cron: Cron, timeZone: string, at: Date): boolean {
  const ms = at.getTime()
  return ms % minuteMs === 0 && matchesWall(cron, ms + offsetAt(timeZone, ms))
}

/** Whether a wall time matches, given in milliseconds as if it were UTC. */
export function matchesWall(cron: Cron, wall: number): boolean {
  const minutes = Math.floor(wall / minuteMs)
  return (
    matchesDay(cron, wall) && cron.minute.includes(minutes % 60) && cron.hour.includes(Math.floor(minutes / 60) % 24)
  )
}

/**
 * Splits a time span into the periods, ascending, that can contain a matching day in any zone. Computing the offsets of
 * all fifty years would dominate the cost.
 */
function* periods(cron: Cron, from: number, to: number): Generator<[number, number]> {
  let start = from
  for (let month = monthOf(from - maxOffsetMs); start < to; month = monthOf(month, 1)) {
    if (month >= to + maxOffsetMs) return
    const days = cron.month.includes(new Date(month).getUTCMonth() + 1) ? daysIn(cron, month) : []
    const [first, last] = [days[0], days.at(-1)]
    if (first === undefined || last === undefined) continue
    const begin = Math.max(start, first - maxOffsetMs)
    const end = Math.min(to, last + dayMs + maxOffsetMs)
    if (begin >= end) continue
    yield [begin, end]
    start = end
  }
}

/** The start of the month of a wall time, or of a later month, as if it were UTC. */
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

/** Within a stretch the offset is constant, so this is plain arithmetic. */
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
